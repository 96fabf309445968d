import type { ChainAdapter } from '../../domain/chain.ts';
import type { Chains } from '../../domain/chains.ts';
import type { ChainId, Coin, Mode } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { accountsOfPaymentsOn } from '../../store/ledger/addresses.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { confirmedHoldings } from '../../store/ledger/holdings.ts';

export interface FinalCheckDeps {
  readonly db: Db;
  readonly chains: Chains;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Money on the address of an overdue payment that no chain read has credited. */
export interface Uncredited extends ChainId {
  readonly payments: number;
  readonly amount: bigint;
}

/** Pause after a failure of the node, or for a payment with uncredited money. */
const REST_MS = 10_000;

interface UncreditedEntry extends ChainId {
  readonly amount: bigint;
  readonly at: number;
}

/**
 * Reads the accounts of overdue payments once more before they expire: a poll of all accounts may have
 * skipped them, or a node that shows a balance may lack the transaction that explains it. Only account chains
 * need it; on the others every block is read.
 */
export class ExpiryBalanceCheck {
  readonly #deps: FinalCheckDeps;
  readonly #restUntil = new Map<string, number>();
  /** By coin and payment. */
  readonly #uncredited = new Map<string, UncreditedEntry>();

  constructor(deps: FinalCheckDeps) {
    this.#deps = deps;
  }

  /** Uncredited money by chain, as last seen. */
  uncredited(): Uncredited[] {
    const chains = Map.groupBy(this.#uncredited.values(), ({ coin, mode }) => `${coin}/${mode}`);
    return [...chains.values()].flatMap((entry) => {
      const [first] = entry;
      if (first === undefined) return [];
      const amount = entry.reduce((sum, each) => sum + each.amount, 0n);
      return [{ coin: first.coin, mode: first.mode, payments: entry.length, amount }];
    });
  }

  /** Forgets all payments but these. */
  keep(paymentIds: ReadonlySet<string>): void {
    for (const key of this.#uncredited.keys()) {
      if (!paymentIds.has(key.slice(key.indexOf('/') + 1))) this.#uncredited.delete(key);
    }
  }

  /**
   * The subset of these payments, a hundred at most, whose accounts on this chain hold exactly the credited
   * money. Empty when the node does not answer.
   */
  async settled(coin: Coin, mode: Mode, paymentIds: readonly string[]): Promise<ReadonlySet<string>> {
    const adapter = this.#deps.chains.get(coin, mode);
    if (adapter?.funds?.model !== 'accounts') return new Set(paymentIds);
    const now = this.#deps.clock.now();
    if (isResting(this.#restUntil.get(`${coin}/${mode}`), now)) return new Set();
    const due = paymentIds.filter((id) => {
      const entry = this.#uncredited.get(`${coin}/${id}`);
      return entry === undefined || !isResting(entry.at + REST_MS, now);
    });
    if (due.length === 0) return new Set();
    try {
      return await this.#checkAccounts(adapter, due);
    } catch (error) {
      this.#restUntil.set(`${coin}/${mode}`, now + REST_MS);
      const message = error instanceof Error ? error.message : String(error);
      this.#deps.logger.warn(
        { coin, mode, payments: due.length, error: message },
        'reading the on-chain accounts of overdue payments failed; they do not expire until it succeeds',
      );
      return new Set();
    }
  }

  async #checkAccounts(adapter: ChainAdapter, paymentIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { db } = this.#deps;
    const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
    const cursor = await findCursor(db, chain);
    const accounts = await accountsOfPaymentsOn(db, chain, paymentIds);
    if (cursor === undefined) return new Set();
    const keys = accounts.map(({ watchKey }) => watchKey);
    if (adapter.funds?.model !== 'accounts') return new Set(paymentIds);
    const balances = await adapter.funds.heldAfter(keys, cursor);
    // Read after the balances, so that credits in between are included.
    const ledger = await confirmedHoldings(db, chain, keys);
    const settled = new Set(paymentIds);
    for (const { watchKey, paymentId } of accounts) {
      const credited = (ledger.get(watchKey) ?? []).reduce((sum, { amount }) => sum + amount, 0n);
      const balance = balances.get(watchKey);
      if (balance !== undefined && balance <= credited) this.#uncredited.delete(`${chain.coin}/${paymentId}`);
      else settled.delete(paymentId);
      if (balance !== undefined && balance > credited) this.#found(chain, paymentId, balance - credited);
    }
    return settled;
  }

  #found(chain: ChainId, paymentId: string, amount: bigint): void {
    const key = `${chain.coin}/${paymentId}`;
    if (!this.#uncredited.has(key)) {
      this.#deps.logger.error(
        { ...chain, paymentId, amount: amount.toString() },
        'uncredited balance at the address of an overdue payment; the payment does not expire',
      );
    }
    this.#uncredited.set(key, { ...chain, amount, at: this.#deps.clock.now() });
  }
}

/** A time further away than any pause comes from a clock since set back. */
function isResting(until: number | undefined, now: number): boolean {
  return until !== undefined && until > now && until - now <= REST_MS;
}
