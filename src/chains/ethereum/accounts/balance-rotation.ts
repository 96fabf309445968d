import type { OpenAccount } from '../../../domain/chain.ts';
import type { Logger } from '../../../domain/ports.ts';
import type { Entered } from './balances.ts';
import type { BalanceReadings } from '../rpc/node-client.ts';

/** Ratio of reads: this many accounts that wait for money to one in the rotation of all others. */
const WAITING_PER_TURN = 3;
/**
 * After a failure, the next block requests this share of the successful reads; each successful block raises
 * it.
 */
const AFTER_FAILURE = 0.5;
const GROWTH = 1.25;
const LEAST = 20;
/** Maximum accounts remembered. */
const MAX_REMEMBERED = 100_000;

/** The accounts eligible for a balance read in a block. */
export interface Candidates {
  readonly open: readonly OpenAccount[];
  /** The accounts whose position in the rotation over all issued ones is this block. */
  readonly turn: readonly OpenAccount[];
}

interface BlockName {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}

/**
 * Chooses the balances to read in a block: those of accounts that wait for money and may have changed
 * unnoticed, and the next ones in the rotation of all others. Unanswered ones come first in the next blocks,
 * which request fewer. One instance per daemon.
 */
export class BalanceRotation {
  readonly #logger: Logger;
  /** Height at which each account's balance was last read. */
  readonly #readAt = new Map<string, number>();
  /** Accounts whose balance was read while they waited for money. */
  readonly #readAwaited = new Set<string>();
  /** Accounts whose balance did not match the ledger when it was last read. */
  readonly #differing = new Set<string>();
  /** The newest block without traces, or after a gap: a balance that matched since then cannot change unnoticed. */
  #tracedAfter = 0;
  #lastHash = '';
  #isTraced = true;
  #allowance = Infinity;
  /** Accounts that wait for money and may have changed unnoticed in the current block. */
  #due: readonly OpenAccount[] = [];
  #unread = { count: 0, of: 0, height: 0, reason: '' };

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** The accounts whose balances to read, most urgent first. */
  choose(
    block: BlockName,
    { open, turn }: Candidates,
    { isTraced, perCall }: { readonly isTraced: boolean; readonly perCall: number },
  ): readonly OpenAccount[] {
    // After a gap, or on another branch, earlier reads prove nothing.
    const isNext = block.parentHash === this.#lastHash;
    if (!isTraced || !isNext) this.#tracedAfter = block.number;
    if (!isNext) this.#forget();
    this.#lastHash = block.hash;
    this.#isTraced = isTraced;
    const due = open.filter((account) => account.isAwaited && !this.#isSettled(account));
    this.#due = due;
    const others = without(turn, due);
    const chosen = interleaved(this.#longestUnread(due), this.#longestUnread(others));
    if (!isTraced && perCall > 1) {
      const room = Math.ceil(Math.max(1, chosen.length) / perCall) * perCall - chosen.length;
      chosen.push(...this.#filling(open, others, room));
    }
    return chosen.length <= this.#allowance ? chosen : chosen.slice(0, this.#allowance);
  }

  /** Records the result of the reads. */
  done(
    { number: height }: BlockName,
    chosen: readonly OpenAccount[],
    { answers, failure }: BalanceReadings,
    { differing, undecided }: Pick<Entered, 'differing' | 'undecided'>,
  ): void {
    if (this.#readAt.size + this.#differing.size > MAX_REMEMBERED) this.#forget();
    for (const [at, { watchKey, isAwaited }] of chosen.entries()) {
      if (typeof answers[at] !== 'bigint' || undecided.has(watchKey)) continue;
      this.#readAt.set(watchKey, height);
      if (isAwaited) this.#readAwaited.add(watchKey);
      this.#differing.delete(watchKey);
    }
    for (const watchKey of differing) this.#differing.add(watchKey);
    if (failure !== null) this.#allowance = Math.max(LEAST, Math.floor(answers.length * AFTER_FAILURE));
    else if (chosen.length >= this.#allowance) this.#allowance = Math.ceil(this.#allowance * GROWTH);
    else this.#allowance = Infinity;
    const isStateless = !this.#isTraced && answers.includes('unknown');
    const isMalformed = answers.includes('unreadable');
    const hasProblem = failure !== null || this.#allowance < Infinity || isStateless || isMalformed;
    const cause = isMalformed ? 'an answer was malformed' : this.#unread.reason;
    const reason = isStateless ? 'the node keeps no state of it' : cause;
    const unread = hasProblem
      ? this.#due.filter(({ watchKey }) => this.#readAt.get(watchKey) !== height)
      : [];
    this.#tell(unread.length, height, failure?.message ?? reason);
  }

  /** Height on this branch at which an account's balance was last read by this process, if any. */
  readAt(watchKey: string): number | null {
    return this.#readAt.get(watchKey) ?? null;
  }

  /** Whether an account's balance was read by this process on this branch while it waited for money. */
  wasReadAwaited(watchKey: string): boolean {
    return this.#readAwaited.has(watchKey);
  }

  /** Null while every account that waits for money is read in each block that requires it. */
  warning(): string | null {
    const { count, of, height, reason } = this.#unread;
    if (count === 0) return null;
    return `the balances of ${count} of ${of} addresses that wait for money were not read in block ${height}, they follow with later blocks: payments through contracts may be found late (${reason}). See TILLD_ETH_RPC_PER_SECOND, TILLD_ETH_RPC_BATCH_SIZE and what the node's plan allows`;
  }

  /** Accounts not waiting for money that fill up the last call, which is sent in any case. */
  #filling(
    open: readonly OpenAccount[],
    others: readonly OpenAccount[],
    room: number,
  ): readonly OpenAccount[] {
    const taken = new Set(others.map(({ watchKey }) => watchKey));
    const rest = open.filter(({ isAwaited, watchKey }) => !isAwaited && !taken.has(watchKey));
    return rest.length <= room ? rest : this.#longestUnread(rest).slice(0, room);
  }

  #longestUnread(accounts: readonly OpenAccount[]): readonly OpenAccount[] {
    const at = ({ watchKey }: OpenAccount): number => this.#readAt.get(watchKey) ?? -1;
    const heights = accounts.map(at);
    // Usually all were read in the block before.
    if (heights.every((height) => height === heights[0])) return accounts;
    return accounts.toSorted((a, b) => at(a) - at(b));
  }

  /** Whether its balance matched the ledger and could not change unnoticed since. */
  #isSettled({ watchKey }: OpenAccount): boolean {
    return (this.#readAt.get(watchKey) ?? -1) >= this.#tracedAfter && !this.#differing.has(watchKey);
  }

  #forget(): void {
    this.#readAt.clear();
    this.#readAwaited.clear();
    this.#differing.clear();
  }

  #tell(count: number, height: number, reason: string): void {
    const was = this.#unread.count;
    this.#unread = { count, of: this.#due.length, height, reason };
    if (was === 0 && count > 0) {
      this.#logger.warn(
        { coin: 'ETH', height, unread: count, waiting: this.#due.length, error: reason },
        'some on-chain balances not read in this block; they are read with later blocks',
      );
    }
    if (was > 0 && count === 0) {
      this.#logger.info({ coin: 'ETH', height }, 'all on-chain balances are read again');
    }
  }
}

/** The accounts that are not among these others. */
function without(accounts: readonly OpenAccount[], others: readonly OpenAccount[]): readonly OpenAccount[] {
  const kept = new Map(accounts.map((account) => [account.watchKey, account]));
  for (const { watchKey } of others) kept.delete(watchKey);
  return [...kept.values()];
}

/** Interleaves other accounts with the urgent ones, so that they are read however many are urgent. */
function interleaved(urgent: readonly OpenAccount[], others: readonly OpenAccount[]): OpenAccount[] {
  const mixed: OpenAccount[] = [];
  let fromOthers = 0;
  for (const [at, account] of urgent.entries()) {
    mixed.push(account);
    const other = (at + 1) % WAITING_PER_TURN === 0 ? others[fromOthers] : undefined;
    if (other === undefined) continue;
    mixed.push(other);
    fromOthers += 1;
  }
  return mixed.concat(others.slice(fromOthers));
}
