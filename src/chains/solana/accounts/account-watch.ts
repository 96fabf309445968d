import { type ChainIndex, type Holding, type NodeStatus } from '../../../domain/chain.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import { eachInParallel, inPieces } from '../../shared/in-parallel.ts';
import { openAccounts } from '../../shared/open-accounts.ts';
import { UnreadTransactions } from '../../shared/unread-transactions.ts';
import { AccountHistory, type Balance, total } from './account-history.ts';
import { ACCOUNTS_PER_REQUEST, type NodeClient } from '../rpc/node-client.ts';
import { balanceChange, type LandedTransaction, TransactionReader } from '../blocks/own-transactions.ts';
import { type ActiveBlock, ActiveBlocks } from './active-blocks.ts';
import { readTip, type Tip } from '../rpc/tip.ts';
import { UnexplainedBalances } from './unexplained-balances.ts';
import { ScanFailures, UnreadAccounts } from './unread-accounts.ts';

export interface AccountWatchDeps {
  readonly client: NodeClient;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives the accounts read in every round. */
  readonly follow?: ((addresses: readonly string[]) => void) | undefined;
}

/** The result of one scan: all our transactions that the ledger does not know yet. */
export interface AccountScan extends Tip {
  /** By slot, ascending; slots above the tip are not presented as blocks yet. */
  readonly active: readonly ActiveBlock[];
}

/** Accounts of payments closed for longer than this are read in rotation, one request per scan. */
const CLOSED_MS = 24 * 3_600_000;
/** How long the history of a recent send's accounts is read regardless of their balance. */
const SENT_MS = 5 * 60_000;

/** An account to read, with the ledger's holdings. */
interface Account {
  readonly address: string;
  readonly held: readonly Holding[];
  readonly isOpen: boolean;
}

/** State shared by the requests of one scan. */
interface Round {
  /** The slot that a backend must have reached. */
  readonly slot: number;
  readonly isDoubtful: boolean;
  readonly failures: ScanFailures;
}

/**
 * Watches accounts by balance, a hundred per request. The history is read only where the chain's balance
 * differs from the ledger's, back to the point where both agree. That needs no stored state, so a restart or
 * a fork loses nothing.
 */
export class AccountWatch {
  readonly #deps: AccountWatchDeps;
  readonly #history: AccountHistory;
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
    this.#blocks = new ActiveBlocks({ ...deps, unread: this.#unread });
    this.#unexplained = new UnexplainedBalances(deps);
    this.#unreadAccounts = new UnreadAccounts(deps);
    this.#history = new AccountHistory({
      ...deps,
      reader: new TransactionReader(deps.client, this.#unread),
      unread: this.#unread,
      unreadAccounts: this.#unreadAccounts,
    });
  }

  /** Reads these accounts' history regardless of their balance, because a send spends from them. */
  expect(addresses: readonly string[]): void {
    const now = this.#deps.clock.now();
    for (const [address, at] of this.#sent) if (now - at > SENT_MS) this.#sent.delete(address);
    for (const address of addresses) this.#sent.set(address, now);
  }

  /**
   * Adds accounts whose history does not explain their balance, and unread accounts and transactions, to the
   * node's health.
   */
  withWarning<T extends NodeStatus>(status: T): T {
    return this.#unread.withWarning(this.#unreadAccounts.withWarning(this.#unexplained.withWarning(status)));
  }

  /**
   * Reads every account whose history explains its balance. One whose history lags, or whose balance or
   * history cannot be read, does not delay the others: a later scan finds its transactions, at or below the
   * cursor.
   * @param recorded slot up to which the ledger has recorded everything; null for the tip
   * @throws {ChainError} also while the node's answers are inconsistent: retry.
   */
  async look(recorded: number | null): Promise<AccountScan> {
    const tip = await readTip(this.#deps.client);
    const floor = recorded ?? tip.block.slot;
    await this.#unread.load();
    if (recorded !== null) await this.#unread.recordedUpTo(recorded);
    this.#awaited = this.#dueByAccount();
    const isDoubtful = recorded !== null && (await this.#lacksOurSends(floor));
    const found = new Map<string, LandedTransaction>();
    const accountOf = new Map<string, string>();
    const failures = new ScanFailures();
    const pieces = inPieces(this.#accounts(), ACCOUNTS_PER_REQUEST);
    const moved = await eachInParallel(pieces, async (accounts) =>
      this.#balances(accounts, { slot: tip.block.slot, isDoubtful, failures }),
    );
    failures.requireAnswer();
    for (const balance of moved.flat()) {
      const news = await this.#newsUnlessSilent(balance, {
        floor,
        slot: tip.block.slot,
        isDoubtful,
        failures,
      });
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
      yield open.map(({ watchKey, holdings: held }) => ({ address: watchKey, held, isOpen: true }));
    }
    follow?.([...followed, ...[...this.#sent.keys()].filter((address) => others.has(address))]);
    const held = await index.holdings([...others]);
    yield [...others].map((address) => ({ address, held: held.get(address) ?? [], isOpen: false }));
  }

  /** Reads the balances of these accounts; returns those that need further reads. @throws {ChainError} */
  async #balances(accounts: readonly Account[], { slot, isDoubtful, failures }: Round): Promise<Balance[]> {
    const method = 'getMultipleAccounts';
    const addresses = accounts.map(({ address }) => address);
    try {
      const { slot: asOf, lamports, unread } = await this.#deps.client.readableBalances(addresses, slot);
      failures.succeeded();
      for (const [address, reason] of unread) this.#unreadAccounts.setAside(address, { method, reason });
      return this.#moved(accounts, { asOf, lamports, isDoubtful });
    } catch (error) {
      if (isDoubtful) throw error;
      const { message: reason } = failures.tolerate(error);
      for (const address of addresses) this.#unreadAccounts.failed(address, { method, reason });
      return [];
    }
  }

  /**
   * The new transactions of one account; none while the node does not answer about it, which does not delay
   * the others. A ledger from a backup may need histories that its balances do not indicate: then every
   * account is required.
   */
  async #newsUnlessSilent(
    balance: Balance,
    { floor, slot, isDoubtful, failures }: Round & { readonly floor: number },
  ): Promise<readonly LandedTransaction[]> {
    const { address } = balance;
    if (!isDoubtful && this.#unreadAccounts.isResting(address)) return [];
    try {
      const news = await this.#news(balance, floor, slot);
      failures.succeeded();
      return news;
    } catch (error) {
      if (isDoubtful) throw error;
      const { message: reason } = failures.tolerate(error);
      this.#unreadAccounts.failed(address, { method: 'getSignaturesForAddress', reason });
      return [];
    }
  }

  /** The accounts whose balance differs from the ledger, or whose history must be read in any case. */
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
   * Whether the ledger was restored from a backup and has not yet read up to the time of the restore. A send
   * unknown to this ledger may already have spent a payment received after the backup: then the balances
   * agree, and only the history shows the payment.
   */
  async #lacksOurSends(floor: number): Promise<boolean> {
    if (this.#isCaughtUp) return false;
    const restoredAt = (await this.#deps.index.restoredAt?.()) ?? null;
    const header = restoredAt === null ? null : await this.#deps.client.block(floor, 'none');
    this.#isCaughtUp = restoredAt === null || (header?.timeMs ?? 0) >= restoredAt;
    return !this.#isCaughtUp;
  }

  /** Transactions of one account that the ledger lacks; none while the node must be queried again. */
  async #news(
    balance: Balance,
    floor: number,
    minContextSlot: number,
  ): Promise<readonly LandedTransaction[]> {
    const { address } = balance;
    const awaited = this.#awaited.get(address);
    const { transactions, agrees } = await this.#history.read(balance, { floor, minContextSlot, awaited });
    const { lamports, held } = balance;
    if (agrees) this.#unexplained.explained(address);
    else if (this.#unexplained.isWaitedFor({ address, lamports, ledger: total(held) })) return [];
    for (const { signature } of transactions) this.#unread.succeeded(signature, floor);
    if (agrees) return transactions;
    // Below the floor, outflows count as recorded, because their position in the ledger's history is not known.
    return transactions.filter((each) => each.slot > floor || balanceChange(each, address) > 0n);
  }
}
