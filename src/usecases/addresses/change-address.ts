import type { ChainAdapter } from '../../domain/chain.ts';
import { isUtxoCoin, type ChainId } from '../../domain/coins.ts';
import type { AddressDeriver } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import { nextAddressIndex } from '../../store/ledger/addresses.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import type { WatchAccount } from '../../store/ledger/watch-accounts.ts';
import { allocateAddress } from './allocate-address.ts';

/** The wallet of one account on one chain. */
export interface ChangeWallet extends ChainId {
  readonly merchantId: string;
  readonly account: number;
}

/** Change address for the next plan; reserved only when the plan uses it. */
export async function nextChangeAddress(
  db: Db,
  deps: { readonly deriver: AddressDeriver },
  wallet: ChangeWallet,
): Promise<string> {
  const { coin, mode, account, merchantId } = wallet;
  // UTXO coins send change to a fresh internal address; account coins leave the remainder at the merchant
  // address.
  if (!isUtxoCoin(coin)) return deps.deriver.address({ coin, mode, account, branch: 0, index: 0 });
  const index = await nextAddressIndex(db, { merchantId, coin, mode, branch: 1 });
  return deps.deriver.address({ coin, mode, account, branch: 1, index });
}

/**
 * Reserves and watches the change address of a plan, in the transaction that stores the plan.
 * @param use.watched the watched account that it belongs to; absent: the wallet tree
 */
export async function reserveChangeAddress(
  tx: Tx,
  deps: { readonly deriver: AddressDeriver; readonly clock: Clock },
  use: {
    readonly wallet: ChangeWallet;
    readonly adapter: ChainAdapter;
    readonly address: string;
    readonly watched?: WatchAccount | undefined;
  },
): Promise<void> {
  const { coin, mode, merchantId, account } = use.wallet;
  if (!isUtxoCoin(coin)) return;
  const allocated = await allocateAddress(
    tx,
    {
      deriver: deps.deriver,
      clock: deps.clock,
      toWatchKey: (_chain, address) => use.adapter.watchKey(address),
    },
    { merchantId, account, coin, mode, branch: 1, purpose: 'change', paymentId: null },
    use.watched,
  );
  if (allocated.address !== use.address) throw new Error('change address is not the next of its branch');
}
