import { type ChainIndex, type Holding, type NodeStatus } from '../../../domain/chain.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import { eachInParallel, inPieces } from '../../shared/in-parallel.ts';
import { openAccounts } from '../../shared/open-accounts.ts';
import { UnreadTransactions } from '../../shared/unread-transactions.ts';
import { sum } from './account-funds.ts';
import { ACCOUNTS_PER_REQUEST, type NodeClient, SIGNATURES_PER_PAGE } from '../rpc/node-client.ts';
import { changeOf, type LandedTransaction, TransactionReader } from '../blocks/own-transactions.ts';
import { RecordedHistory } from '../blocks/recorded-history.ts';
import { type ActiveBlock, ActiveBlocks } from './active-blocks.ts';
import { readTip, type Tip } from '../rpc/tip.ts';
import { UnexplainedBalances } from './unexplained-balances.ts';
import { isAboutAccount, UnreadAccounts } from './unread-accounts.ts';

export interface AccountWatchDeps {
  readonly client: NodeClient;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives the accounts read in every round. */
  readonly follow?: ((addresses: readonly string[]) => void) | undefined;
}

/** The result of one look: all our transactions that the ledger does not know yet. */
export interface Look extends Tip {
  /** By slot, ascending; slots above the tip are not shown as blocks yet. */
  readonly active: readonly ActiveBlock[];
}

/** Accounts of payments closed for longer than this are read in rotation, one request per look. */
const CLOSED_MS = 24 * 3_600_000;
/** How long the history of a recent send's accounts is read whatever their balance. */
const SENT_MS = 5 * 60_000;
/** Maximum transactions of one account read in one look: anyone can afford ten thousand payments of a lamport. */
const MAX_HISTORY = 20_000;
/** Transactions read in parallel, once there are clearly many. */
const MAX_AT_A_TIME = 8;

/** An account to read, with the ledger's holdings. */
interface Account {
  readonly address: string;
  readonly held: readonly Holding[];
  readonly isOpen: boolean;
}

interface Balance {
  readonly address: string;
  readonly lamports: bigint;
  /** Slot of the balance. */
  readonly asOf: number;
  readonly held: readonly Holding[];
}

/**
 * Watches accounts by balance, a hundred per request. Only where the chain's balance differs from the ledger's is the
 * history read, back to where both agree. That needs no stored state, so a restart or a fork loses nothing.
 */
export class AccountWatch {
  readonly #deps: AccountWatchDeps;
  readonly #reader: TransactionReader;
  readonly #sent = new Map<string, number>();
  readonly #unexplained: UnexplainedBalances;
  readonly #unread: UnreadTransactions;
  readonly #unreadAccounts: UnreadAccounts;
  readonly #blocks: ActiveBlocks;
  /** Unread transactions whose attempt is due, by account. */
  #awaited: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  #closedFrom = 0;
  #isCaughtUp = false;

  constructor(deps: AccountWatchDeps) {
    this.#deps = deps;
    const { index, clock, logger } = deps;
    this.#unread = new UnreadTransactions({ coin: 'SOL', store: index.unread, clock, logger });
    this.#reader = new TransactionReader(deps.client, this.#unread);
    this.#blocks = new ActiveBlocks({ ...deps, unread: this.#unread });
    this.#unexplained = new UnexplainedBalances(deps);
    this.#unreadAccounts = new UnreadAccounts(logger);
  }

  /** Reads these accounts' history whatever their balance: a send spends from them. */
  expect(addresses: readonly string[]): void {
    const now = this.#deps.clock.now();
    for (const [address, at] of this.#sent) if (now - at > SENT_MS) this.#sent.delete(address);
    for (const address of addresses) this.#sent.set(address, now);
  }

  /** Adds accounts whose balance no history explains, and unread accounts and transactions, to the node's health. */
  withWarning<T extends NodeStatus>(status: T): T {
    return this.#unread.withWarning(this.#unreadAccounts.withWarning(this.#unexplained.withWarning(status)));
  }

  /**
   * Reads every account whose history explains its balance. One whose history lags, or whose balance or history cannot be
   * read, delays no other: its transactions are found in a later look, at or below the cursor.
   * @param recorded slot up to which the ledger has recorded everything; null for the tip
   * @throws {ChainError} also when the node's answers are not consistent yet: retry.
   */
  async look(recorded: number | null): Promise<Look> {
    const { client } = this.#deps;
    const tip = await readTip(client);
    const floor = recorded ?? tip.block.slot;
    await this.#unread.load();
    if (recorded !== null) await this.#unread.recordedUpTo(recorded);
    this.#awaited = this.#dueByAccount();
    const isDoubtful = recorded !== null && (await this.#lacksOurSends(floor));
    const found = new Map<string, LandedTransaction>();
    const accountOf = new Map<string, string>();
    const pieces = inPieces(this.#accounts(), ACCOUNTS_PER_REQUEST);
    const moved = await eachInParallel(pieces, async (accounts) => {
      const addresses = accounts.map(({ address }) => address);
      const { slot: asOf, lamports, unread } = await client.readableBalances(addresses, tip.block.slot);
      for (const [address, reason] of unread)
        this.#unreadAccounts.setAside(address, { method: 'getMultipleAccounts', reason });
      return this.#moved(accounts, { asOf, lamports, isDoubtful });
    });
    for (const balance of moved.flat()) {
      const news = await this.#news(balance, floor, tip.block.slot);
      for (const transaction of news) {
        found.set(transaction.signature, transaction);
        accountOf.set(transaction.signature, balance.address);
      }
    }
    const { finalized } = tip;
    return { ...tip, active: await this.#blocks.read([...found.values()], { finalized, accountOf }) };
  }

  #dueByAccount(): ReadonlyMap<string, ReadonlySet<string>> {
    const due = this.#unread
      .due()
      .flatMap(({ txid, watchKey }) => (watchKey === null ? [] : [{ txid, watchKey }]));
    const byAccount = Map.groupBy(due, ({ watchKey }) => watchKey);
    return new Map([...byAccount].map(([key, own]) => [key, new Set(own.map(({ txid }) => txid))]));
  }

  /** The open accounts, those of recent sends and of unread transactions, and a page of all others, each once. */
  async *#accounts(): AsyncGenerator<readonly Account[], void> {
    const { index, clock, follow } = this.#deps;
    const page = await index.watchKeysAfter(this.#closedFrom, ACCOUNTS_PER_REQUEST);
    this.#closedFrom = page.length < ACCOUNTS_PER_REQUEST ? 0 : (page.at(-1)?.position ?? 0);
    const others = new Set([
      ...this.#sent.keys(),
      ...this.#awaited.keys(),
      ...page.map(({ watchKey }) => watchKey),
    ]);
    const followed: string[] = [];
    for await (const open of openAccounts(index, clock.now() - CLOSED_MS)) {
      for (const { watchKey } of open) {
        others.delete(watchKey);
        if (follow !== undefined) followed.push(watchKey);
      }
      yield open.map(({ watchKey, held }) => ({ address: watchKey, held, isOpen: true }));
    }
    follow?.([...followed, ...[...this.#sent.keys()].filter((address) => others.has(address))]);
    const held = await index.holdings([...others]);
    yield [...others].map((address) => ({ address, held: held.get(address) ?? [], isOpen: false }));
  }

  /** The accounts whose balance differs from the ledger, or whose history is to be read anyway. */
  #moved(
    accounts: readonly Account[],
    seen: {
      readonly asOf: number;
      readonly lamports: ReadonlyMap<string, bigint>;
      readonly isDoubtful: boolean;
    },
  ): Balance[] {
    const moved: Balance[] = [];
    for (const { address, held, isOpen } of accounts) {
      const lamports = seen.lamports.get(address);
      if (lamports === undefined) continue;
      this.#unreadAccounts.succeeded(address, 'getMultipleAccounts');
      const isDoubted = this.#sent.has(address) || this.#awaited.has(address) || (isOpen && seen.isDoubtful);
      if (lamports !== total(held) || isDoubted) moved.push({ address, lamports, asOf: seen.asOf, held });
      else {
        this.#unexplained.explained(address);
        this.#unreadAccounts.agrees(address);
      }
    }
    return moved;
  }

  /**
   * Whether the ledger comes from a backup and has not yet read up to the time of the restore. A payment received
   * after the backup may already have been spent, by a send that this ledger does not know: then the balances agree,
   * and only the history shows that the payment was made.
   */
  async #lacksOurSends(floor: number): Promise<boolean> {
    if (this.#isCaughtUp) return false;
    const restoredAt = (await this.#deps.index.restoredAt?.()) ?? null;
    const header = restoredAt === null ? null : await this.#deps.client.block(floor, 'none');
    this.#isCaughtUp = restoredAt === null || (header?.timeMs ?? 0) >= restoredAt;
    return !this.#isCaughtUp;
  }

  /** Transactions of one account that the ledger lacks; none while the node has to be asked again. */
  async #news(
    balance: Balance,
    floor: number,
    minContextSlot: number,
  ): Promise<readonly LandedTransaction[]> {
    const { address } = balance;
    const { transactions, agrees } = await this.#history(balance, floor, minContextSlot);
    const { lamports, held } = balance;
    if (agrees) this.#unexplained.explained(address);
    else if (this.#unexplained.isWaitedFor({ address, lamports, ledger: total(held) })) return [];
    for (const { signature } of transactions) this.#unread.succeeded(signature, floor);
    if (agrees) return transactions;
    // Below the floor, outflows count as recorded: their position in the ledger's history is not known.
    return transactions.filter((each) => each.slot > floor || changeOf(each, address) > 0n);
  }

  /**
   * Reads history backwards until the missing transactions explain the balance. At or below the floor the ledger has
   * most of it: there each transaction is looked up, since two may have moved the same amount.
   */
  async #history(
    balance: Balance,
    floor: number,
    minContextSlot: number,
  ): Promise<{ transactions: LandedTransaction[]; agrees: boolean }> {
    const { address, lamports, asOf, held } = balance;
    const recorded = new RecordedHistory(this.#deps.index, address, held);
    const news = new Map<string, LandedTransaction>();
    const met = new Set<string>();
    const awaited = new Set(this.#awaited.get(address));
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
        const read = await this.#reader.readAll(unknown, address);
        for (const { signature, slot } of next) {
          if (isEnough(slot)) return done();
          met.add(signature);
          awaited.delete(signature);
          if (met.size >= MAX_HISTORY) return { ...done(), agrees: false };
          const transaction = read.get(signature);
          const standing = await recorded.standing(signature, transaction, slot <= floor);
          if (standing !== 'news') this.#unread.succeeded(signature, floor);
          if (standing === 'covered' && awaited.size === 0) return done();
          if (standing !== 'news') continue;
          if (transaction === undefined) {
            isComplete = false;
            continue;
          }
          news.set(signature, transaction);
          // The balance does not include later transactions.
          if (slot <= asOf) missing -= changeOf(transaction, address);
        }
      }
      const last = page.at(-1);
      if (page.length < SIGNATURES_PER_PAGE || last === undefined) return done();
      // A fork removed the page's cursor signature, or the node returns pages in circles.
      if (fresh.length === 0) return { ...done(), agrees: false };
      before = last.signature;
    }
  }

  /** A page of an account's history; null when the node does not answer it in a form that can be read. */
  async #signatures(address: string, page: { before: string | null; minContextSlot: number }) {
    const method = 'getSignaturesForAddress';
    try {
      const signatures = await this.#deps.client.signatures(address, page);
      this.#unreadAccounts.succeeded(address, method);
      return signatures;
    } catch (error) {
      if (!isAboutAccount(error)) throw error;
      this.#unreadAccounts.setAside(address, { method, reason: error.message });
      return null;
    }
  }
}

function total(holdings: readonly Holding[] | undefined): bigint {
  return sum((holdings ?? []).map(({ amount }) => amount));
}
