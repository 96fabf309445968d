import type { ChainIndex, Holding } from '../../../domain/chain.ts';
import type { UnreadTransactions } from '../../shared/unread-transactions.ts';
import { balanceChange, type LandedTransaction, type TransactionReader } from '../blocks/own-transactions.ts';
import { RecordedHistory } from '../blocks/recorded-history.ts';
import { type NodeClient, SIGNATURES_PER_PAGE } from '../rpc/node-client.ts';
import { sum } from './account-funds.ts';
import { isAboutAccount, type UnreadAccounts } from './unread-accounts.ts';

/**
 * Maximum number of transactions of one account read in one scan, because anyone can afford ten thousand
 * payments of a lamport.
 */
const MAX_HISTORY = 20_000;
/** Transactions read in parallel, once there are many. */
const MAX_AT_A_TIME = 8;

/** The balance of an account on the chain and in the ledger. */
export interface Balance {
  readonly address: string;
  readonly lamports: bigint;
  /** Slot of the balance. */
  readonly asOf: number;
  readonly held: readonly Holding[];
}

interface HistoryRequest {
  /** Slot up to which the ledger has recorded everything. */
  readonly floor: number;
  readonly minContextSlot: number;
  /** Unread transactions whose attempt is due. */
  readonly awaited: ReadonlySet<string> | undefined;
}

export interface AccountHistoryDeps {
  readonly client: NodeClient;
  readonly index: ChainIndex;
  readonly reader: TransactionReader;
  readonly unread: UnreadTransactions;
  readonly unreadAccounts: UnreadAccounts;
}

/** Reads the transactions that explain the difference between an account's balance and the ledger. */
export class AccountHistory {
  readonly #deps: AccountHistoryDeps;

  constructor(deps: AccountHistoryDeps) {
    this.#deps = deps;
  }

  /**
   * Reads history backwards until the missing transactions explain the balance. At or below the floor the
   * ledger has most of them, so each transaction is looked up there, because two may have moved the same
   * amount.
   */
  async read(
    { address, lamports, asOf, held }: Balance,
    { floor, minContextSlot, awaited: due }: HistoryRequest,
  ): Promise<{ readonly transactions: LandedTransaction[]; readonly agrees: boolean }> {
    const recorded = new RecordedHistory(this.#deps.index, address, held);
    const news = new Map<string, LandedTransaction>();
    const met = new Set<string>();
    const awaited = new Set(due);
    let missing = lamports - total(held);
    let isComplete = true;
    const done = () => ({ transactions: [...news.values()], agrees: isComplete && missing === 0n });
    let before: string | null = null;
    for (;;) {
      const page = await this.#signatures(address, { before, minContextSlot });
      if (page === null) return { ...done(), agrees: false };
      const listed = new Map(page.map((entry) => [entry.signature, entry]));
      const fresh = [...listed.values()]
        .filter(({ signature }) => !met.has(signature))
        .toSorted((a, b) => b.slot - a.slot);
      for (let at = 0; at < fresh.length;) {
        const next = fresh.slice(at, at + Math.min(MAX_AT_A_TIME, Math.max(1, met.size)));
        at += next.length;
        const isEnough = (slot: number) => slot <= floor && missing === 0n && awaited.size === 0;
        if (isEnough(next[0]?.slot ?? 0)) return done();
        const unknown = next.filter(({ signature }) => !recorded.holds(signature));
        const read = await this.#deps.reader.readAll(unknown, address);
        for (const { signature, slot } of next) {
          if (isEnough(slot)) return done();
          met.add(signature);
          awaited.delete(signature);
          if (met.size >= MAX_HISTORY) return { ...done(), agrees: false };
          const transaction = read.get(signature);
          const state = await recorded.classify(signature, transaction, slot <= floor);
          if (state !== 'news') this.#deps.unread.succeeded(signature, floor);
          if (state === 'covered' && awaited.size === 0) return done();
          if (state !== 'news') continue;
          if (transaction === undefined) {
            isComplete = false;
            continue;
          }
          news.set(signature, transaction);
          // The balance does not include later transactions.
          if (slot <= asOf) missing -= balanceChange(transaction, address);
        }
      }
      const last = page.at(-1);
      if (page.length < SIGNATURES_PER_PAGE || last === undefined) return done();
      // A fork removed the page's cursor signature, or the node returns pages in circles.
      if (fresh.length === 0) return { ...done(), agrees: false };
      before = last.signature;
    }
  }

  /** A page of an account's history; null when the node's answer cannot be parsed. */
  async #signatures(address: string, page: { before: string | null; minContextSlot: number }) {
    const method = 'getSignaturesForAddress';
    try {
      const signatures = await this.#deps.client.signatures(address, page);
      this.#deps.unreadAccounts.succeeded(address, method);
      return signatures;
    } catch (error) {
      if (!isAboutAccount(error)) throw error;
      this.#deps.unreadAccounts.setAside(address, { method, reason: error.message });
      return null;
    }
  }
}

export function total(holdings: readonly Holding[] | undefined): bigint {
  return sum((holdings ?? []).map(({ amount }) => amount));
}
