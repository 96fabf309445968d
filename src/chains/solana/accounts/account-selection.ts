import type { ChainIndex, Holding } from '../../../domain/chain.ts';
import type { Clock } from '../../../domain/ports.ts';
import { openAccounts } from '../../shared/open-accounts.ts';
import { ACCOUNTS_PER_REQUEST } from '../rpc/node-client.ts';

/** Accounts of payments closed for longer than this are read in rotation. */
const CLOSED_MS = 24 * 3_600_000;
/** How often the accounts of payments closed for less than that are read, where calls are saved. */
const CLOSED_EVERY_MS = 60_000;
/** A time after which no payment has closed. */
const NEVER_CLOSED = Number.MAX_SAFE_INTEGER;
/** Minimum number of accounts read in rotation; more where the last request of a scan has room. */
const MIN_ROTATED = 25;

/** Maximum accounts issued while a scan reads balances that it reads as well; the next scan reads the others. */
const MAX_ISSUED = 10_000;

/** An account to read, with the ledger's holdings. */
export interface SelectedAccount {
  readonly address: string;
  readonly held: readonly Holding[];
  readonly isOpen: boolean;
}

export interface AccountSelectionDeps {
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly savesCalls: boolean;
  readonly follow?: ((addresses: readonly string[]) => void) | undefined;
}

interface Selection {
  /** Whether those of closed payments must be included. */
  readonly isComplete: boolean;
  /** Accounts of recent sends. */
  readonly sent: readonly string[];
  /** Accounts of unread transactions whose attempt is due. */
  readonly awaited: readonly string[];
}

/** Chooses the accounts that one scan reads. */
export class AccountSelection {
  readonly #deps: AccountSelectionDeps;
  /** Position of the rotation. */
  #rotatedTo = 0;
  #closedReadAt = Number.NEGATIVE_INFINITY;
  /** Position of the newest account when the selection began. */
  #newest = 0;
  /** When this scan began, if it reads the accounts of closed payments. */
  #readingClosedAt: number | null = null;

  constructor(deps: AccountSelectionDeps) {
    this.#deps = deps;
  }

  /**
   * The open accounts, those of recent sends and of unread transactions, and some of all others, which fill the
   * last request; each once.
   */
  async *select({ isComplete, sent, awaited }: Selection): AsyncGenerator<readonly SelectedAccount[], void> {
    const { index, clock, savesCalls, follow } = this.#deps;
    const now = clock.now();
    this.#newest = await index.newestPosition();
    const isClosedDue = Math.abs(now - this.#closedReadAt) >= CLOSED_EVERY_MS;
    const readsClosed = isComplete || !savesCalls || isClosedDue;
    this.#readingClosedAt = readsClosed ? now : null;
    const read = new Set<string>();
    const waiting: string[] = [];
    for await (const open of openAccounts(index, readsClosed ? now - CLOSED_MS : NEVER_CLOSED)) {
      for (const { watchKey, isAwaited } of open) {
        read.add(watchKey);
        if (isAwaited && follow !== undefined) waiting.push(watchKey);
      }
      yield open.map(({ watchKey, holdings: held }) => ({ address: watchKey, held, isOpen: true }));
    }
    follow?.([...waiting, ...sent.filter((address) => !read.has(address))]);
    const others = new Set([...sent, ...awaited].filter((address) => !read.has(address)));
    for (const watchKey of await this.#rotated(read.size + others.size))
      if (!read.has(watchKey)) others.add(watchKey);
    const held = await index.holdings([...others]);
    yield [...others].map((address) => ({ address, held: held.get(address) ?? [], isOpen: false }));
  }

  /** The accounts that were issued since the selection began, in pages: they hold nothing by the ledger. */
  async *issuedSince(): AsyncGenerator<readonly SelectedAccount[], void> {
    const issued = await this.#deps.index.watchKeysAfter(this.#newest, MAX_ISSUED);
    yield issued.map(({ watchKey: address }) => ({ address, held: [], isOpen: true }));
  }

  /** Records that all selected accounts were read. */
  done(): void {
    if (this.#readingClosedAt !== null) this.#closedReadAt = this.#readingClosedAt;
  }

  /** The next of all accounts ever issued. @param count accounts that the scan reads in any case */
  async #rotated(count: number): Promise<string[]> {
    const room = ACCOUNTS_PER_REQUEST - (count % ACCOUNTS_PER_REQUEST);
    const limit = room < MIN_ROTATED ? room + ACCOUNTS_PER_REQUEST : room;
    const page = await this.#deps.index.watchKeysAfter(this.#rotatedTo, limit);
    this.#rotatedTo = page.length < limit ? 0 : (page.at(-1)?.position ?? 0);
    return page.map(({ watchKey }) => watchKey);
  }
}
