import {
  type BlockRef,
  type ChainBlock,
  ChainError,
  type ChainIndex,
  type UnconfirmedView,
} from '../../../domain/chain.ts';
import type { AccountWatch, AccountScan } from '../accounts/account-watch.ts';
import type { ActiveBlock } from '../accounts/active-blocks.ts';
import { deriveCredits, type Entries } from './credit-derivation.ts';
import { datedBefore, type DatedHeader } from '../rpc/block-times.ts';
import type { BlockHeader, NodeClient } from '../rpc/node-client.ts';
import type { LandedTransaction } from './own-transactions.ts';
import { blockHashAt, readTip } from '../rpc/tip.ts';

export interface ChainViewDeps {
  readonly client: NodeClient;
  readonly index: ChainIndex;
  readonly watch: AccountWatch;
  readonly savesCalls: boolean;
}

/**
 * Larger steps go through a finalized block, so that the stored blocks below the tip never all lie on a fork.
 */
const LONG_STEP = 1_000;
/**
 * Above this many finalized slots, one block represents several, because each block costs as much as applying
 * everything that a payment received.
 */
const MANY_SLOTS = 16;
/**
 * Parent of a block when the node no longer returns the one at the cursor: not a hash, so that nothing is
 * recorded on it.
 */
const UNKNOWN_PARENT = '';
/** Maximum number of transactions in a block that represents many slots, unless a single slot contains more. */
const SHOWN_TOGETHER = 1_000;

/**
 * Presents accounts as blocks: heights are slots; a block is a slot with our transactions, or the tip. Far
 * behind the tip, one block represents many finalized slots, with the slot of each. One scan serves a round:
 * blocks up to its tip, then the rest. The parent of a returned block is the chain's hash at the cursor's
 * height, read after the scan: the ledger compares it with its own and so notices a fork that happened after
 * it checked its cursor.
 */
export class ChainView {
  readonly #deps: ChainViewDeps;
  #scan: AccountScan | null = null;
  /** Cursor of the ledger once it has recorded the blocks returned from this scan. */
  #returnedHash: string | null = null;
  /**
   * Block hash of the chain at the cursor, read after the scan: it differs from the cursor's after a fork in
   * between.
   */
  #parent: string | null = null;
  /** The last block returned, until the chain shows another one at its height. */
  #checked: BlockRef | null = null;
  #highestTip = 0;
  #seenSlot = 0;

  constructor(deps: ChainViewDeps) {
    this.#deps = deps;
  }

  /**
   * The highest slot shown so far; 0 before the first scan. It may be above the tip, because transactions are
   * shown there too: a node that is only at the tip does not know them, which proves nothing.
   */
  get seenSlot(): number {
    return this.#seenSlot;
  }

  async tip(): Promise<BlockRef> {
    const tip = await readTip(this.#deps.client);
    this.#saw(tip);
    this.#highestTip = Math.max(this.#highestTip, tip.block.slot);
    return toBlockRef(tip.block);
  }

  /** The tip of the last scan where it is kept, else the newest. */
  async recentTip(): Promise<BlockRef> {
    const last = this.#deps.watch.lastTip;
    return last === null ? this.tip() : toBlockRef(last.block);
  }

  /**
   * Whether the chain contained the cursor's block when it was last read, and blockAfter will compare it again
   * before the ledger advances.
   */
  isChecked(cursor: BlockRef): boolean {
    const checked = this.#deps.savesCalls ? this.#checked : null;
    return checked?.height === cursor.height && checked.hash === cursor.hash;
  }

  async hashAt(height: number): Promise<string | null> {
    if (height > this.#highestTip && height > (await this.tip()).height) return null;
    return blockHashAt(this.#deps.client, height, this.#highestTip);
  }

  /** Our transactions in exactly this slot. */
  async blockAt(height: number): Promise<ChainBlock | null> {
    const scan = await this.#scanFrom(height - 1);
    if (height > scan.block.slot) return null;
    const active = scan.active.find(({ header }) => header.slot === height);
    const shown = active?.header ?? (await this.#deps.client.block(height, 'none'));
    if (shown === null) return null;
    const header = await datedBefore(this.#deps.client, shown);
    return buildBlock(header, header.parentHash, await this.#book(active?.transactions ?? []));
  }

  /** The next slot above the cursor with our transactions, else the tip; null at the tip. */
  async blockAfter(cursor: BlockRef): Promise<ChainBlock | null> {
    if (this.#scan === null || this.#returnedHash !== cursor.hash) {
      this.#checked = null;
      this.#scan = await this.#scanFrom(cursor.height);
      this.#returnedHash = cursor.hash;
      this.#highestTip = Math.max(this.#highestTip, this.#scan.block.slot);
      this.#parent = null;
    }
    const scan = this.#scan;
    const next = await this.#next(scan, cursor);
    if (next === null) {
      if (scan.block.hash === cursor.hash) this.#checked = toBlockRef(scan.block);
      return null;
    }
    // Blocks of one scan are consecutive; only the first must follow the ledger's last block.
    this.#parent ??= (await this.hashAt(cursor.height)) ?? UNKNOWN_PARENT;
    const shown = scan.active.filter(({ header }) => header.slot <= next.slot);
    const transactions = shown.flatMap((active) => active.transactions);
    const block = buildBlock(
      next,
      this.#parent,
      await this.#book(transactions, findSlots(shown, cursor, next)),
    );
    this.#scan = { ...scan, active: scan.active.filter(({ header }) => header.slot > next.slot) };
    if (this.#parent === cursor.hash) this.#checked = toBlockRef(next);
    this.#returnedHash = next.hash;
    this.#parent = next.hash;
    return block;
  }

  /** Confirmed transactions in slots that are not presented as blocks yet. */
  async unconfirmed(): Promise<UnconfirmedView> {
    const scan = this.#scan ?? (await this.#scanFrom(null));
    this.#scan = null;
    const waiting = scan.active.filter(({ header }) => header.slot > scan.block.slot);
    const timeBySignature = new Map(
      waiting.flatMap(({ header, transactions }) =>
        transactions.map(({ signature }) => [signature, header.timeMs] as const),
      ),
    );
    const { credits, debits } = await this.#book(waiting.flatMap(({ transactions }) => transactions));
    return {
      tip: toBlockRef(scan.block),
      credits: credits.map((credit) => ({
        ...credit,
        nodeTimeMs: timeBySignature.get(credit.ref.txid) ?? null,
        inputs: [],
      })),
      debits,
      has: (txid) => timeBySignature.has(txid),
    };
  }

  async #scanFrom(recorded: number | null): Promise<AccountScan> {
    const scan = await this.#deps.watch.scan(recorded);
    this.#saw(scan, scan.active);
    return scan;
  }

  #saw({ block }: Pick<AccountScan, 'block'>, active: readonly ActiveBlock[] = []): void {
    const slots = active.map(({ header }) => header.slot);
    this.#seenSlot = Math.max(this.#seenSlot, block.slot, slots.at(-1) ?? 0);
  }

  async #next(scan: AccountScan, cursor: BlockRef): Promise<DatedHeader | null> {
    const { block, finalized } = scan;
    if (block.slot <= cursor.height) return null;
    const active = scan.active.filter(({ header }) => header.slot > cursor.height);
    const together = lastTogether(active.filter(({ header }) => header.slot <= finalized));
    const first = together ?? active[0]?.header;
    const next = first !== undefined && first.slot <= block.slot ? first : block;
    if (next.slot <= finalized || finalized - cursor.height <= LONG_STEP) return next;
    const anchor = await this.#deps.client.block(finalized, 'none');
    if (anchor === null)
      throw new ChainError('unavailable', `the node lacks its finalized slot ${finalized}`);
    return datedBefore(this.#deps.client, anchor);
  }

  async #book(
    transactions: readonly LandedTransaction[],
    slots?: ReturnType<typeof findSlots>,
  ): Promise<Entries> {
    if (transactions.length === 0) return { credits: [], debits: [] };
    const { index } = this.#deps;
    const watched = await index.watched([...new Set(transactions.flatMap(({ keys }) => keys))]);
    return deriveCredits(transactions, watched, await index.holdings([...watched]), slots);
  }
}

/** The last of the finalized slots to present as one block; null when there are few. */
function lastTogether(finalized: readonly ActiveBlock[]): DatedHeader | null {
  if (finalized.length <= MANY_SLOTS) return null;
  let last: DatedHeader | null = null;
  let count = 0;
  for (const { header, transactions } of finalized) {
    count += transactions.length;
    if (last !== null && count > SHOWN_TOGETHER) break;
    last = header;
  }
  return last;
}

/** Slots of transactions from other slots; one missed earlier, at or below the cursor, keeps its time but counts in `next`. */
function findSlots(shown: readonly ActiveBlock[], cursor: BlockRef, next: DatedHeader) {
  const others = shown.filter(({ header }) => header.slot < next.slot);
  return new Map(
    others.flatMap(({ header: { slot, timeMs }, transactions }) => {
      const height = slot > cursor.height ? slot : next.slot;
      return transactions.map((transaction) => [transaction, { height, timeMs }] as const);
    }),
  );
}

function toBlockRef({ slot, hash }: BlockHeader): BlockRef {
  return { height: slot, hash };
}

function buildBlock(header: DatedHeader, parentHash: string, entries: Entries): ChainBlock {
  return { ...toBlockRef(header), parentHash, timeMs: header.timeMs, ...entries };
}
