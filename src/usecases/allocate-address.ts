import type { ChainId } from '../domain/coins.ts';
import type { AddressDeriver } from '../domain/keys.ts';
import type { Clock } from '../domain/ports.ts';
import {
  insertAddress,
  takeAddressIndex,
  type AddressBranch,
  type StoredAddress,
} from '../store/addresses.ts';
import type { Tx } from '../store/database.ts';

export interface AllocateAddressDeps {
  readonly deriver: AddressDeriver;
  /** The key under which a chain finds payments to an address (ChainAdapter.watchKey). */
  readonly watchKeyOf: (chain: ChainId, address: string) => string;
  readonly clock: Clock;
}

export interface AllocateAddressInput extends AddressBranch {
  /** The merchant's account number in the wallet tree. */
  readonly account: number;
  readonly purpose: StoredAddress['purpose'];
  /** The payment it takes money for; null for wallet and change addresses. */
  readonly paymentId: string | null;
}

/**
 * Gives out the next address of a branch and starts watching it, inside the caller's transaction:
 * it exists exactly when what it was made for exists. Local arithmetic, no node is asked.
 */
export async function allocateAddress(
  tx: Tx,
  deps: AllocateAddressDeps,
  input: AllocateAddressInput,
): Promise<StoredAddress> {
  if (!tx.isTransaction) throw new Error('allocateAddress must run in a transaction');
  const { merchantId, account, coin, mode, branch, purpose, paymentId } = input;
  const index = await takeAddressIndex(tx, { merchantId, coin, mode, branch });
  const address = deps.deriver.address({ coin, mode, account, branch, index });
  return insertAddress(tx, {
    merchant_id: merchantId,
    coin,
    mode,
    branch,
    idx: index,
    address,
    watch_key: deps.watchKeyOf({ coin, mode }, address),
    purpose,
    payment_id: paymentId,
    created_at: deps.clock.now(),
  });
}
