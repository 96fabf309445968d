import type { ChainAdapter } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { AddressDeriver } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Tx } from '../../store/database.ts';
import { allocateAddress } from '../allocate-address.ts';

/** Takes and watches the change address a plan was made with, in the transaction that stores the plan. */
export async function takeChangeAddress(
  tx: Tx,
  deps: { readonly deriver: AddressDeriver; readonly clock: Clock },
  use: {
    readonly wallet: ChainId & { readonly merchantId: string; readonly account: number };
    readonly adapter: ChainAdapter;
    readonly address: string;
  },
): Promise<void> {
  const { coin, mode, merchantId, account } = use.wallet;
  const taken = await allocateAddress(
    tx,
    {
      deriver: deps.deriver,
      clock: deps.clock,
      watchKeyOf: (_chain, address) => use.adapter.watchKey(address),
    },
    { merchantId, account, coin, mode, branch: 1, purpose: 'change', paymentId: null },
  );
  if (taken.address !== use.address) throw new Error('change would go to an address that is not next');
}
