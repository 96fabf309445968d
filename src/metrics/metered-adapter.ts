import {
  outputKey,
  type AccountFunds,
  type BlockRuns,
  type ChainAdapter,
  type ChainBlock,
  type NetworkFinality,
  type OutputFunds,
  type SparseBlocks,
  type UnconfirmedView,
  type WholeAccounts,
} from '../domain/chain.ts';
import { COIN_DEFINITIONS } from '../domain/coins.ts';
import type { Clock } from '../domain/ports.ts';
import type { NodeMetrics } from './node-metrics.ts';

/**
 * Bound on the remembered outputs of the last views, because a flooded mempool must not grow memory without
 * limit.
 */
const MAX_REMEMBERED = 100_000;

/**
 * The calls that query a node; all other members of an adapter and its capabilities pass through unchanged.
 */
const ASKING: ReadonlySet<PropertyKey> = new Set<
  | keyof ChainAdapter
  | keyof BlockRuns
  | keyof SparseBlocks
  | keyof NetworkFinality
  | keyof WholeAccounts
  | keyof OutputFunds
  | keyof AccountFunds
>([
  'status',
  'tip',
  'finalizedHeight',
  'finalBlocks',
  'finalAfter',
  'hashAt',
  'blockBefore',
  'blockAt',
  'blocksFrom',
  'blockAfter',
  'unconfirmed',
  'recheck',
  'feeQuote',
  'measure',
  'heldNow',
  'heldAfter',
  'usedAmong',
  'broadcast',
  'scanUnspent',
  'balancesAt',
]);

/** Optional capabilities: objects whose calls are timed, too. */
const PARTS: ReadonlySet<PropertyKey> = new Set<keyof ChainAdapter>([
  'blockBatches',
  'sparse',
  'finality',
  'wholeAccounts',
  'funds',
]);

/**
 * Wraps an adapter to time every call to its node and to measure the detection delay of payments. A proxy, so
 * that optional capabilities are neither lost nor added.
 */
export function meterAdapter(adapter: ChainAdapter, metrics: NodeMetrics, clock: Clock): ChainAdapter {
  const { coin, mode } = adapter;
  const tell = (delayMs: number): void => metrics.detected({ coin, mode }, delayMs);
  // Miners' times may be an hour off: only the mempool gives a usable time there.
  const delays = new DelayMeter(tell, clock, COIN_DEFINITIONS[coin].blocks.times === 'exact');
  const observeBlock = (blocks: readonly (ChainBlock | null)[]): void => {
    for (const block of blocks) {
      if (block !== null) delays.observeBlock(block);
      if (block?.oddVersions !== undefined) metrics.oddVersions({ coin, mode }, block.oddVersions);
    }
  };
  const metered = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get: (target, name): unknown => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member === 'object' && member !== null && PARTS.has(name)) return metered(member);
        if (typeof member !== 'function') return member;
        const method = (...args: unknown[]): unknown => Reflect.apply(member, target, args);
        if (!ASKING.has(name)) return method;
        return async (...args: unknown[]): Promise<unknown> => {
          const answer = await metrics.time({ coin, mode, call: String(name) }, async () => method(...args));
          if (name === 'unconfirmed') delays.observe(answer as UnconfirmedView);
          if (name === 'blockAt' || name === 'blockAfter') observeBlock([answer as ChainBlock | null]);
          if (name === 'blocksFrom') observeBlock(answer as readonly ChainBlock[]);
          return answer;
        };
      },
    });
  return metered(adapter);
}

/**
 * Time from a node's first sight of money to tilld's, once per output. For a node without the time of first
 * sight, the time of the block counts.
 */
class DelayMeter {
  readonly #tell: (delayMs: number) => void;
  readonly #clock: Clock;
  readonly #byBlocks: boolean;
  /** Outputs of the last view, which are not measured again; null before the first. */
  #measured: ReadonlySet<string> | null = null;
  /**
   * Blocks up to here were measured; those read again after a reorganisation or on request are not measured.
   */
  #height = -1;

  constructor(tell: (delayMs: number) => void, clock: Clock, byBlocks: boolean) {
    this.#tell = tell;
    this.#clock = clock;
    this.#byBlocks = byBlocks;
  }

  observe(view: UnconfirmedView): void {
    const before = this.#measured;
    const measured = new Set<string>();
    for (const { ref, nodeTimeMs } of view.credits) {
      if (this.#byBlocks && nodeTimeMs === null) continue;
      const key = outputKey(ref);
      if (measured.size < MAX_REMEMBERED) measured.add(key);
      // The delay of money present at the first poll is unknown.
      if (before === null || before.has(key) || nodeTimeMs === null) continue;
      this.#measure(nodeTimeMs);
    }
    this.#measured = measured;
    if (before === null) this.#height = Math.max(this.#height, view.tip.height);
  }

  observeBlock({ height, timeMs, credits }: ChainBlock): void {
    const measured = this.#measured;
    // Blocks missed while the daemon was not running do not count as delay.
    if (!this.#byBlocks || measured === null || height <= this.#height) return;
    this.#height = height;
    for (const { ref, remainder } of credits) {
      if (remainder !== true && !measured.has(outputKey(ref))) this.#measure(timeMs);
    }
  }

  #measure(sinceMs: number): void {
    this.#tell(Math.max(0, this.#clock.now() - sinceMs));
  }
}
