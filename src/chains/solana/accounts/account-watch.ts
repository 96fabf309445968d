import { type ChainIndex, type NodeStatus } from '../../../domain/chain.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import { eachInParallel, inPieces } from '../../shared/in-parallel.ts';
import { UnreadTransactions } from '../../shared/unread-transactions.ts';
import { AccountHistory, type Balance, total } from './account-history.ts';
import { AccountSelection, type SelectedAccount } from './account-selection.ts';
import { ACCOUNTS_PER_REQUEST, type NodeClient } from '../rpc/node-client.ts';
import { balanceChange, type LandedTransaction, TransactionReader } from '../blocks/own-transactions.ts';
import { type ActiveBlock, ActiveBlocks } from './active-blocks.ts';
import type { Tip } from '../rpc/tip.ts';
import { RecentSends } from './recent-sends.ts';
import { ScanTip } from './scan-tip.ts';
import { UnexplainedBalances } from './unexplained-balances.ts';
import { ScanFailures, UnreadAccounts } from './unread-accounts.ts';

export interface AccountWatchDeps {
  readonly client: NodeClient;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether scans leave out what a provider's plan should not be spent on; see docs/solana.md. */
  readonly savesCalls: boolean;
  /** Receives the accounts that wait for money. */
  readonly follow?: ((addresses: readonly string[]) => void) | undefined;
}

/** The result of one scan: all our transactions that the ledger does not know yet. */
export interface AccountScan extends Tip {
  /** By slot, ascending; slots above the tip are not presented as blocks yet. */
  readonly active: readonly ActiveBlock[];
}

/** The balances of one request. */
interface BalancesRead {
  /** Slot of the balances; null without an answer. */
  readonly asOf: number | null;
  /** The accounts that need further reads. */
  readonly moved: readonly Balance[];
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
  readonly #selection: AccountSelection;
  readonly #sends = new RecentSends();
  readonly #tip: ScanTip;
  readonly #unexplained: UnexplainedBalances;
  readonly #unread: UnreadTransactions;
  readonly #unreadAccounts: UnreadAccounts;
  readonly #blocks: ActiveBlocks;
  /** Unread transactions whose attempt is due, by account. */
  #awaited: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  #isCaughtUp = false;

  constructor(deps: AccountWatchDeps) {
    this.#deps = deps;
    const { index, clock, logger } = deps;
    this.#unread = new UnreadTransactions({ coin: 'SOL', store: index.unread, clock, logger });
    this.#blocks = new ActiveBlocks({ ...deps, unread: this.#unread });
    this.#selection = new AccountSelection(deps);
    this.#tip = new ScanTip(deps);
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
  expect(accounts: readonly string[], txid: string): void {
    this.#sends.expect(accounts, txid, this.#deps.clock.now());
  }

  /** The tip of the last scan; null where it is not kept. */
  get lastTip(): Tip | null {
    return this.#tip.last;
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
   * cursor. Balances are read first, so that the tip is never above them.
   * @param recorded slot up to which the ledger has recorded everything; null for the tip
   * @throws {ChainError} also while the node's answers are inconsistent: retry.
   */
  async scan(recorded: number | null): Promise<AccountScan> {
    await this.#unread.load();
    if (recorded !== null) await this.#unread.recordedUpTo(recorded);
    this.#awaited = this.#dueByAccount();
    const isDoubtful = recorded !== null && (await this.#lacksOurSends(recorded));
    const failures = new ScanFailures();
    const { moved, asOf } = await this.#readBalances({ slot: recorded ?? 0, isDoubtful, failures });
    const hasNews = isDoubtful || moved.length > 0;
    const tip = (hasNews ? null : this.#tip.reusable(recorded)) ?? (await this.#tip.read(asOf));
    const { slot } = tip.block;
    const found = new Map<string, LandedTransaction>();
    const accountBySignature = new Map<string, string>();
    for (const balance of moved) {
      const round = { floor: recorded ?? slot, slot, isDoubtful, failures };
      for (const transaction of await this.#newsUnlessSilent(balance, round)) {
        found.set(transaction.signature, transaction);
        accountBySignature.set(transaction.signature, balance.address);
        this.#tip.found(transaction.slot);
      }
    }
    this.#sends.scanned(found);
    const { finalized } = tip;
    return {
      ...tip,
      active: await this.#blocks.read([...found.values()], { finalized, accountBySignature }),
    };
  }

  /** Reads the balances of all accounts of one scan. @throws {ChainError} */
  async #readBalances(round: Round): Promise<BalancesRead> {
    this.#sends.forget(this.#tip.last?.finalized ?? 0, this.#deps.clock.now());
    const selected = this.#selection.select({
      isComplete: round.isDoubtful,
      sent: this.#sends.accounts,
      awaited: [...this.#awaited.keys()],
    });
    const read = async (pages: AsyncIterable<readonly SelectedAccount[]>): Promise<BalancesRead[]> =>
      eachInParallel(inPieces(pages, ACCOUNTS_PER_REQUEST), async (accounts) =>
        this.#balances(accounts, round),
      );
    const reads = await read(selected);
    // A payment issued and paid meanwhile is at or below the slot of these balances, which becomes the tip.
    reads.push(...(await read(this.#selection.issuedSince())));
    round.failures.requireAnswer();
    this.#selection.done();
    const slots = reads.flatMap(({ asOf }) => asOf ?? []);
    return {
      asOf: slots.length === 0 ? null : Math.min(...slots),
      moved: reads.flatMap(({ moved }) => moved),
    };
  }

  #dueByAccount(): ReadonlyMap<string, ReadonlySet<string>> {
    const due = this.#unread
      .due()
      .flatMap(({ txid, watchKey }) => (watchKey === null ? [] : [{ txid, watchKey }]));
    const byAccount = Map.groupBy(due, ({ watchKey }) => watchKey);
    return new Map([...byAccount].map(([key, own]) => [key, new Set(own.map(({ txid }) => txid))]));
  }

  /** Reads the balances of these accounts. @throws {ChainError} */
  async #balances(
    accounts: readonly SelectedAccount[],
    { slot, isDoubtful, failures }: Round,
  ): Promise<BalancesRead> {
    const method = 'getMultipleAccounts';
    const addresses = accounts.map(({ address }) => address);
    try {
      const { slot: asOf, lamports, unread } = await this.#deps.client.readableBalances(addresses, slot);
      failures.succeeded();
      for (const [address, reason] of unread) this.#unreadAccounts.setAside(address, { method, reason });
      return { asOf, moved: this.#moved(accounts, { asOf, lamports, isDoubtful }) };
    } catch (error) {
      if (isDoubtful) throw error;
      const { message: reason } = failures.tolerate(error);
      for (const address of addresses) this.#unreadAccounts.failed(address, { method, reason });
      return { asOf: null, moved: [] };
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
    accounts: readonly SelectedAccount[],
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
      const isDoubted = this.#sends.has(address) || this.#awaited.has(address) || (isOpen && seen.isDoubtful);
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
