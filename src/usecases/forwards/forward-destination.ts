import type { ChainAdapter } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { invalidField } from '../../domain/errors.ts';
import type { ReceiveBranch } from '../../domain/keys.ts';
import { isDescriptor } from '../../domain/send/forward.ts';
import { findWatched } from '../../store/ledger/addresses.ts';
import { nextWatchedReceive, skipWatchedReceive } from '../../store/ledger/watch-accounts.ts';
import { isListed } from '../../store/ledger/watch-lists.ts';
import { nextForwardIndex, useForwardIndex } from '../../store/sends/wallet-forwards.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import type { ForwardDeps } from './forward-deps.ts';

/** Addresses that are shown, and checked, before a descriptor takes effect. */
const SHOWN = 5;

type BranchDeps = Pick<ForwardDeps, 'chains' | 'readReceiveBranch'>;

/** A destination as it was ordered. */
export interface WantedDestination {
  readonly destination?: string | undefined;
  readonly descriptor?: string | undefined;
}

/**
 * Reads a destination: an address, or an extended public key or descriptor in its canonical form. None of its
 * addresses may be one of the shop itself. Null: none is given.
 * @throws {AppError} VALIDATION_INVALID naming `destination` or `descriptor`; it never repeats a descriptor
 */
export async function readDestination(
  db: Db,
  deps: BranchDeps,
  wallet: { readonly adapter: ChainAdapter; readonly merchantId: string },
  { destination, descriptor }: WantedDestination,
): Promise<string | null> {
  if (destination !== undefined && descriptor !== undefined)
    throw invalidField('descriptor', 'cannot be given together with destination');
  if (descriptor !== undefined) {
    const branch = deps.readReceiveBranch(wallet.adapter, descriptor);
    if ('problem' in branch) throw invalidField('descriptor', branch.problem);
    await requireForeign(db, wallet, { field: 'descriptor', addresses: firstAddresses(branch, 0) });
    return branch.descriptor;
  }
  if (destination === undefined) return null;
  const address = destination.trim();
  const problem = wallet.adapter.validateAddress(address);
  if (problem !== null) throw invalidField('destination', problem);
  await requireForeign(db, wallet, { field: 'destination', addresses: [address] });
  return address;
}

async function requireForeign(
  db: Db,
  { adapter, merchantId }: { readonly adapter: ChainAdapter; readonly merchantId: string },
  { field, addresses }: { readonly field: string; readonly addresses: readonly string[] },
): Promise<void> {
  for (const address of addresses) {
    const problem = adapter.validateAddress(address);
    if (problem !== null) throw invalidField(field, `leads to an address that ${problem}`);
  }
  const keys = addresses.map((address) => adapter.watchKey(address));
  const watched = await findWatched(db, adapter, keys);
  if (watched.some((known) => known.merchantId === merchantId))
    throw invalidField(field, 'belongs to this wallet: forwards go to another one');
  if (await isListed(db, adapter, keys))
    throw invalidField(
      field,
      'is on a list of watched addresses: an order would be credited with the forward',
    );
}

/** Where the next forward goes. */
export interface NextAddress {
  readonly address: string;
  /** Its index in the descriptor; null for a single address. */
  readonly index: number | null;
}

/** Inside a transaction the result stays valid until its end. */
export async function nextAddress(
  db: Db,
  deps: BranchDeps,
  chain: ChainId,
  destination: string,
): Promise<NextAddress> {
  if (!isDescriptor(destination)) return { address: destination, index: null };
  const branch = openBranch(deps, chain, destination);
  const index = await nextIndex(db, deps, chain, { destination, branch });
  return { address: branch.address(index), index };
}

/** The next addresses of a destination, for comparison with those that its wallet shows. */
export async function nextAddresses(
  db: Db,
  deps: BranchDeps,
  chain: ChainId,
  destination: string,
): Promise<{ readonly addresses: string[]; readonly nextIndex: number | null }> {
  if (!isDescriptor(destination)) return { addresses: [destination], nextIndex: null };
  const branch = openBranch(deps, chain, destination);
  const next = await nextIndex(db, deps, chain, { destination, branch });
  return { addresses: firstAddresses(branch, next), nextIndex: next };
}

/** Orders of a watched account with the same addresses are paid to those below: they share one count. */
async function nextIndex(
  db: Db,
  { chains }: Pick<BranchDeps, 'chains'>,
  { coin, mode }: ChainId,
  { destination, branch }: { readonly destination: string; readonly branch: ReceiveBranch },
): Promise<number> {
  const next = await nextForwardIndex(db, { coin, mode }, destination);
  const first = chains.get(coin, mode)?.watchKey(branch.address(0));
  return first === undefined ? next : Math.max(next, await nextWatchedReceive(db, { coin, mode }, first));
}

/** Marks an address of a descriptor as used, in the transaction that stores the send to it. */
export async function useIndex(
  tx: Tx,
  deps: BranchDeps,
  chain: ChainId,
  { destination, index }: { readonly destination: string; readonly index: number },
): Promise<void> {
  await useForwardIndex(tx, chain, { descriptor: destination, index });
  const first = openBranch(deps, chain, destination).address(0);
  const firstReceive = deps.chains.get(chain.coin, chain.mode)?.watchKey(first);
  if (firstReceive !== undefined) await skipWatchedReceive(tx, chain, { firstReceive, below: index + 1 });
}

function firstAddresses(branch: ReceiveBranch, from: number): string[] {
  return Array.from({ length: SHOWN }, (_, at) => branch.address(from + at));
}

function openBranch({ readReceiveBranch }: BranchDeps, chain: ChainId, descriptor: string): ReceiveBranch {
  const branch = readReceiveBranch(chain, descriptor);
  if ('problem' in branch) throw new Error(`a stored descriptor ${branch.problem}`);
  return branch;
}
