import type { ChainId, Coin } from '../../domain/coins.ts';
import type { AddressDeriver } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import {
  insertAddresses,
  allocateAddressIndexes,
  type AddressBranch,
  type StoredAddress,
} from '../../store/ledger/addresses.ts';
import type { Tx } from '../../store/sqlite/database.ts';

export interface AllocateAddressDeps {
  readonly deriver: AddressDeriver;
  /** The key under which a chain finds payments to an address (ChainAdapter.watchKey). */
  readonly toWatchKey: (chain: ChainId, address: string) => string;
  readonly clock: Clock;
}

export interface AllocateAddressInput extends AddressBranch {
  /** The merchant's account number in the wallet tree. */
  readonly account: number;
  readonly purpose: StoredAddress['purpose'];
  /** The payment it receives money for; null for wallet and change addresses. */
  readonly paymentId: string | null;
}

/**
 * Issues the next address of a branch and starts watching it, inside the caller's transaction, so that it
 * exists exactly when its purpose exists. Pure derivation, without a call to the node.
 */
export async function allocateAddress(
  tx: Tx,
  deps: AllocateAddressDeps,
  input: AllocateAddressInput,
): Promise<StoredAddress> {
  const [row] = await allocateAddresses(tx, deps, input, [input.coin]);
  if (row === undefined) throw new Error(`no ${input.coin} address was stored`);
  return row;
}

/**
 * Like allocateAddress, for one address on the same branch of each of these coins; in no particular order.
 */
export async function allocateAddresses(
  tx: Tx,
  deps: AllocateAddressDeps,
  input: Omit<AllocateAddressInput, 'coin'>,
  coins: readonly Coin[],
): Promise<StoredAddress[]> {
  if (!tx.isTransaction) throw new Error('addresses must be allocated in a transaction');
  const { merchantId, account, mode, branch, purpose, paymentId } = input;
  const createdAt = deps.clock.now();
  const indexes = await allocateAddressIndexes(tx, { merchantId, mode, branch }, coins);
  const rows = indexes.map(({ coin, index }) => {
    const address = deps.deriver.address({ coin, mode, account, branch, index });
    return {
      merchantId,
      coin,
      mode,
      branch,
      idx: index,
      address,
      watchKey: deps.toWatchKey({ coin, mode }, address),
      purpose,
      paymentId,
      createdAt,
    };
  });
  return insertAddresses(tx, rows);
}
