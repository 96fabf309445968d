import { ChainError, outputKey, type ChainIndex, type Holding } from '../../domain/chain.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { eachInParallel, inPieces } from '../in-parallel.ts';
import { openAccounts } from '../open-accounts.ts';
import {
  ACCOUNTS_PER_REQUEST,
  type BlockHeader,
  type NodeClient,
  SIGNATURES_PER_PAGE,
} from './node-client.ts';
import { changeOf, type LandedTransaction, TransactionReader } from './own-transactions.ts';
import { readTip, type Tip } from './tip.ts';

export interface AccountWatchDeps {
  readonly client: NodeClient;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told which accounts are looked at in every round. */
  readonly follow?: ((addresses: readonly string[]) => void) | undefined;
}

/** A block that holds transactions of ours, in order of execution. */
export interface ActiveBlock {
  readonly header: BlockHeader;
  readonly transactions: readonly LandedTransaction[];
}

/** What one look found: everything of ours that the ledger does not know yet. */
export interface Look extends Tip {
  /** By slot, ascending; slots above the tip are not shown in blocks yet. */
  readonly active: readonly ActiveBlock[];
}

/** Payments closed for longer than this are looked at in turns, a request per look. */
const CLOSED_MS = 24 * 3_600_000;
/** How long the accounts of a transaction just sent are asked for whatever their balance says. */
const SENT_MS = 5 * 60_000;
/**
 * How long a balance may lack its history before the rest goes on without it. Nodes index history a
 * moment later; lamports that no transaction moved (a validator's rewards can go to any account) never
 * get one.
 */
const PATIENCE_MS = 20_000;
/** Transactions of one account read in one look: ten thousand payments of a lamport cost nobody much. */
const MAX_HISTORY = 20_000;
/** Transactions asked for at a time, once it is clear that there are many. */
const MAX_AT_A_TIME = 8;

/** One to be looked at, and what the ledger says that it holds. */
interface Account {
  readonly address: string;
  readonly ledger: bigint;
  readonly isOpen: boolean;
}

interface Balance {
  readonly address: string;
  readonly lamports: bigint;
  /** The slot at which it was that. */
  readonly asOf: number;
  readonly ledger: bigint;
}

/**
 * Watches accounts by their balance: a hundred in one request. Where the chain's balance differs
 * from the ledger's, and only there, the history is read, back to where both agree. That needs no
 * memory, so a restart or a fork loses nothing.
 */
export class AccountWatch {
  readonly #deps: AccountWatchDeps;
  readonly #reader: TransactionReader;
  readonly #sent = new Map<string, number>();
  /** Accounts whose balance no history explains: as last seen, since when, and whether that was told. */
  readonly #unexplained = new Map<string, { state: string; since: number; isTold: boolean }>();
  #closedFrom = 0;
  #isCaughtUp = false;

  constructor(deps: AccountWatchDeps) {
    this.#deps = deps;
    this.#reader = new TransactionReader(deps.client);
  }

  /** Asks for these accounts whatever their balance says: we are sending from them. */
  expect(addresses: readonly string[]): void {
    const now = this.#deps.clock.now();
    for (const [address, at] of this.#sent) if (now - at > SENT_MS) this.#sent.delete(address);
    for (const address of addresses) this.#sent.set(address, now);
  }

  /**
   * @param recorded slot up to which the ledger has recorded everything; null for the tip
   * @throws {ChainError} also when the node's answers do not fit together yet: ask again.
   */
  async look(recorded: number | null): Promise<Look> {
    const { client } = this.#deps;
    const tip = await readTip(client);
    const floor = recorded ?? tip.block.slot;
    const isDoubtful = recorded !== null && (await this.#lacksOurSends(floor));
    const found = new Map<string, LandedTransaction>();
    let unknown: string | null = null;
    const pieces = inPieces(this.#accounts(), ACCOUNTS_PER_REQUEST);
    const moved = await eachInParallel(pieces, async (accounts) => {
      const addresses = accounts.map(({ address }) => address);
      const { slot: asOf, lamports } = await client.balances(addresses, tip.block.slot);
      return this.#moved(accounts, { asOf, lamports, isDoubtful });
    });
    for (const balance of moved.flat()) {
      const news = await this.#news(balance, floor, tip.block.slot);
      if (news === null) unknown = balance.address;
      for (const transaction of news ?? []) found.set(transaction.signature, transaction);
    }
    // Only now: patience with one account must not begin after that with another.
    if (unknown !== null) {
      throw new ChainError('unavailable', `the node does not know the history of ${unknown} yet`);
    }
    return { ...tip, active: await this.#inBlocks([...found.values()], tip.finalized) };
  }

  /** The open ones, those sent from, and a page of all others, each once. */
  async *#accounts(): AsyncGenerator<readonly Account[], void> {
    const { index, clock, follow } = this.#deps;
    const page = await index.watchKeysAfter(this.#closedFrom, ACCOUNTS_PER_REQUEST);
    this.#closedFrom = page.length < ACCOUNTS_PER_REQUEST ? 0 : (page.at(-1)?.position ?? 0);
    const others = new Set([...this.#sent.keys(), ...page.map(({ watchKey }) => watchKey)]);
    const followed: string[] = [];
    for await (const open of openAccounts(index, clock.now() - CLOSED_MS)) {
      for (const { watchKey } of open) {
        others.delete(watchKey);
        if (follow !== undefined) followed.push(watchKey);
      }
      yield open.map(({ watchKey, held }) => ({ address: watchKey, ledger: total(held), isOpen: true }));
    }
    follow?.([...followed, ...[...this.#sent.keys()].filter((address) => others.has(address))]);
    const held = await index.holdings([...others]);
    yield [...others].map((address) => ({ address, ledger: total(held.get(address)), isOpen: false }));
  }

  /** Of these accounts, those of which balance and ledger say different things, or that are asked for all the same. */
  #moved(
    accounts: readonly Account[],
    seen: {
      readonly asOf: number;
      readonly lamports: ReadonlyMap<string, bigint>;
      readonly isDoubtful: boolean;
    },
  ): Balance[] {
    const moved: Balance[] = [];
    for (const { address, ledger, isOpen } of accounts) {
      const lamports = seen.lamports.get(address) ?? 0n;
      const isDoubted = this.#sent.has(address) || (isOpen && seen.isDoubtful);
      if (lamports !== ledger || isDoubted) moved.push({ address, lamports, asOf: seen.asOf, ledger });
      else this.#unexplained.delete(address);
    }
    return moved;
  }

  /**
   * Whether the ledger is that of a backup and not yet read on to when it was put back. A payment that
   * came in after the backup may have been sent on since, in a send that this ledger does not know:
   * then the balances agree, and only the history tells that the payment was paid.
   */
  async #lacksOurSends(floor: number): Promise<boolean> {
    if (this.#isCaughtUp) return false;
    const restoredAt = (await this.#deps.index.restoredAt?.()) ?? null;
    const header = restoredAt === null ? null : await this.#deps.client.block(floor, 'none');
    this.#isCaughtUp = restoredAt === null || (header !== null && header.timeMs >= restoredAt);
    return !this.#isCaughtUp;
  }

  /** Transactions of one account that the ledger lacks; null while the node has to be asked again for them. */
  async #news(
    balance: Balance,
    floor: number,
    minContextSlot: number,
  ): Promise<readonly LandedTransaction[] | null> {
    const { address, lamports, ledger } = balance;
    const { transactions, agrees } = await this.#history(balance, floor, minContextSlot);
    if (agrees) {
      this.#unexplained.delete(address);
      return transactions;
    }
    const state = `${lamports}/${ledger}`;
    const now = this.#deps.clock.now();
    const before = this.#unexplained.get(address);
    // However the balance changes meanwhile: a trickle of lamports must not stop all others for ever.
    const since = before?.since ?? now;
    const isAccepted = now - since >= PATIENCE_MS;
    const wasTold = before?.isTold === true && before.state === state;
    this.#unexplained.set(address, { state, since, isTold: isAccepted });
    if (!isAccepted) return null;
    if (!wasTold) {
      this.#deps.logger.error(
        { address, balance: lamports.toString(), ledger: ledger.toString() },
        'the balance of an account does not follow from its history: only what is known was credited',
      );
    }
    return this.#unrecorded(address, transactions, floor);
  }

  /** Of a history that does not lead back to the ledger: what came after it, and money that it lacks. */
  async #unrecorded(
    address: string,
    transactions: readonly LandedTransaction[],
    floor: number,
  ): Promise<LandedTransaction[]> {
    const creditOf = (transaction: LandedTransaction): string =>
      outputKey({ txid: transaction.signature, index: transaction.keys.indexOf(address) });
    const earlier = transactions.filter((each) => each.slot <= floor && changeOf(each, address) > 0n);
    const recorded = await this.#deps.index.ownOutputs(earlier.map(creditOf));
    const missed = new Set(earlier.filter((each) => !recorded.has(creditOf(each))));
    return transactions.filter((each) => each.slot > floor || missed.has(each));
  }

  /** Reads back to the point where the account held what the ledger says. */
  async #history(
    { address, lamports, asOf, ledger }: Balance,
    floor: number,
    minContextSlot: number,
  ): Promise<{ transactions: LandedTransaction[]; agrees: boolean }> {
    const read = new Map<string, LandedTransaction>();
    const done = (agrees: boolean) => ({ transactions: [...read.values()], agrees });
    let held = lamports;
    let before: string | null = null;
    for (;;) {
      const page = await this.#deps.client.signatures(address, { before, minContextSlot });
      const listed = new Map(page.map((entry) => [entry.signature, entry]));
      const fresh = [...listed.values()]
        .filter(({ signature }) => !read.has(signature))
        .toSorted((a, b) => b.slot - a.slot);
      for (let at = 0; at < fresh.length;) {
        const next = fresh.slice(at, at + Math.min(MAX_AT_A_TIME, Math.max(1, read.size)));
        at += next.length;
        if ((next[0]?.slot ?? 0) <= floor && held === ledger) return done(true);
        for (const transaction of await this.#reader.readAll(next)) {
          if (transaction.slot <= floor && held === ledger) return done(true);
          read.set(transaction.signature, transaction);
          // What came after the balance was read is not in it.
          if (transaction.slot <= asOf) held -= changeOf(transaction, address);
          if (read.size >= MAX_HISTORY) return done(false);
        }
      }
      const last = page.at(-1);
      if (page.length < SIGNATURES_PER_PAGE || last === undefined) return done(held === ledger);
      // The page hung on a signature that a fork took away, or the node leads round in circles.
      if (fresh.length === 0) return done(false);
      before = last.signature;
    }
  }

  async #inBlocks(transactions: readonly LandedTransaction[], finalized: number): Promise<ActiveBlock[]> {
    const slots = [...Map.groupBy(transactions, ({ slot }) => slot)].sort(([a], [b]) => a - b);
    const active: ActiveBlock[] = [];
    while (active.length < slots.length) {
      const ahead = Math.min(MAX_AT_A_TIME, Math.max(1, active.length));
      const next = slots.slice(active.length, active.length + ahead);
      const read = next.map(async ([slot, inSlot]) => this.#inBlock(slot, inSlot, slot <= finalized));
      active.push(...(await Promise.all(read)));
    }
    return active;
  }

  async #inBlock(
    slot: number,
    transactions: readonly LandedTransaction[],
    isFinal: boolean,
  ): Promise<ActiveBlock> {
    // The signatures tell the order, and that nothing changed meanwhile: a lone one that is final needs neither.
    const isSure = isFinal && transactions.length === 1;
    const header = await this.#deps.client.block(slot, isSure ? 'none' : 'signatures');
    const order = new Map((header?.signatures ?? []).map((signature, position) => [signature, position]));
    if (header === null || (!isSure && transactions.some(({ signature }) => !order.has(signature)))) {
      throw new ChainError('unavailable', `slot ${slot} changed while it was read`);
    }
    const position = ({ signature }: LandedTransaction): number => order.get(signature) ?? 0;
    return { header, transactions: transactions.toSorted((a, b) => position(a) - position(b)) };
  }
}

function total(holdings: readonly Holding[] | undefined): bigint {
  return (holdings ?? []).reduce((sum, { amount }) => sum + amount, 0n);
}
