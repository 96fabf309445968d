import type { NodeStatus, SetAsideTransaction, UnreadStore, UnreadTransaction } from '../../domain/chain.ts';
import type { Coin } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';

/** Pause before the second attempt, doubled with each further one up to the maximum. */
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 3_600_000;
/** Maximum transactions stored of one chain; further ones are retried in every round. */
const MAX_STORED = 1_000;
const MAX_REASON_LENGTH = 300;

export interface UnreadTransactionsDeps {
  readonly coin: Coin;
  /** Absent: kept in memory. */
  readonly store?: UnreadStore | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Transactions that could not be parsed. Each is set aside individually, so that scanning continues past it,
 * and is retried with backoff until it is readable and recorded. Logs one line when one is set aside and one
 * when it is resolved.
 */
export class UnreadTransactions {
  readonly #deps: UnreadTransactionsDeps;
  readonly #unread = new Map<string, SetAsideTransaction>();
  /** Readable ones, with the height above which the ledger has recorded them; they stay stored until then. */
  readonly #readable = new Map<string, number>();
  #isLoaded = false;

  constructor(deps: UnreadTransactionsDeps) {
    this.#deps = deps;
  }

  /** Loads what an earlier process stored. */
  async load(): Promise<void> {
    if (this.#isLoaded) return;
    for (const stored of (await this.#deps.store?.list()) ?? []) this.#unread.set(stored.txid, stored);
    this.#isLoaded = true;
  }

  /** Whether a transaction is unread and its next attempt is not due. */
  isResting(txid: string): boolean {
    const unread = this.#unread.get(txid);
    return unread !== undefined && !this.#isDue(unread);
  }

  /** Those whose next attempt is due, and those that are readable but not recorded yet. */
  due(): SetAsideTransaction[] {
    return [...this.#unread.values()].filter((unread) => this.#isDue(unread));
  }

  /** Sets a transaction aside, or counts another failed attempt. */
  async failed(transaction: UnreadTransaction): Promise<void> {
    const { coin, clock, logger, store } = this.#deps;
    const { txid, height } = transaction;
    const now = clock.now();
    const known = this.#unread.get(txid);
    const reason = transaction.reason.slice(0, MAX_REASON_LENGTH);
    if (known === undefined) {
      logger.error(
        { coin, txid, height, account: transaction.watchKey, reason },
        'on-chain transaction unreadable; skipped and retried, other transactions are not affected',
      );
      if (this.#unread.size >= MAX_STORED) return;
    }
    const attempts = (known?.attempts ?? 0) + 1;
    const retryAt = now + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 20));
    const unread = { ...transaction, reason, firstSeenAt: known?.firstSeenAt ?? now, attempts, retryAt };
    this.#unread.set(txid, unread);
    this.#readable.delete(txid);
    if (height !== null) await store?.put({ ...unread, height });
  }

  /**
   * Records that a transaction was read. @param above the ledger contains it once it has read above this
   * height
   */
  succeeded(txid: string, above: number): void {
    const unread = this.#unread.get(txid);
    if (unread !== undefined && !this.#readable.has(txid)) {
      this.#readable.set(txid, Math.max(above, (unread.height ?? 0) - 1));
    }
  }

  /** Forgets the transactions that the ledger has recorded up to a height. */
  async recordedUpTo(height: number): Promise<void> {
    for (const [txid, above] of this.#readable) if (height > above) await this.resolved(txid);
  }

  /** Forgets an unconfirmed transaction that its node no longer has. */
  forget(txid: string): void {
    this.#unread.delete(txid);
  }

  /** Whether a transaction is set aside. */
  has(txid: string): boolean {
    return this.#unread.has(txid);
  }

  /** Those that are set aside. */
  list(): SetAsideTransaction[] {
    return [...this.#unread.values()];
  }

  /** Nothing of this transaction remains to be read. */
  async resolved(txid: string): Promise<void> {
    const { coin, logger, store } = this.#deps;
    const unread = this.#unread.get(txid);
    this.#readable.delete(txid);
    if (unread === undefined) return;
    await store?.remove(txid);
    this.#unread.delete(txid);
    const { height, attempts } = unread;
    logger.info({ coin, txid, height, attempts }, 'skipped on-chain transaction is readable again');
  }

  /** Adds these transactions to the node's health. */
  withWarning<T extends NodeStatus>(status: T): T {
    const unread = [...this.#unread.values()];
    const [first] = unread;
    if (first === undefined) return { ...status, unread };
    const { txid, height, reason } = first;
    const others = unread.length === 1 ? '' : ` and ${unread.length - 1} more`;
    const isNewer = unread.some(({ isUnknownVersion }) => isUnknownVersion);
    const warning = `${unread.length} transaction(s) unreadable and set aside, their money is not credited: ${txid} ${height === null ? 'in the mempool' : `at height ${height}`} (${reason})${others}; they are retried. ${isNewer ? 'Install a newer release of tilld' : 'If that lasts, use another node'}`;
    const version = isNewer ? (['unknown_version'] as const) : [];
    return {
      ...status,
      unread,
      warnings: status.warnings === null ? warning : `${status.warnings}; ${warning}`,
      alarms: [...(status.alarms ?? []), 'unread_transactions', ...version],
    };
  }

  #isDue({ txid, retryAt, firstSeenAt }: SetAsideTransaction): boolean {
    const now = this.#deps.clock.now();
    // A clock set back must not postpone the next attempt.
    return this.#readable.has(txid) || now >= retryAt || now < firstSeenAt;
  }
}
