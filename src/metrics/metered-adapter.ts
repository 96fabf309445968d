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

/** Outputs of the last views that are remembered: a flooded mempool must not grow this without end. */
const MAX_REMEMBERED = 100_000;

/** The calls that ask a node; every other member of an adapter and of what only some have is passed through as it is. */
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
  'broadcast',
  'scanUnspent',
  'balancesAt',
]);

/** What only some chains can do: objects whose calls are timed, too. */
const PARTS: ReadonlySet<PropertyKey> = new Set<keyof ChainAdapter>([
  'runs',
  'sparse',
  'finality',
  'wholeAccounts',
  'funds',
]);

/**
 * The same adapter, with every call to its node timed, and the delay with which payments are seen. A
 * proxy, so that what only some chains have is neither lost nor made up.
 */
export function meterAdapter(adapter: ChainAdapter, metrics: NodeMetrics, clock: Clock): ChainAdapter {
  const { coin, mode } = adapter;
  const tell = (delayMs: number): void => metrics.detected({ coin, mode }, delayMs);
  // Miners' times may be an hour off: there only the mempool tells.
  const delays = new DelayMeter(tell, clock, COIN_DEFINITIONS[coin].blocks.times === 'exact');
  const lookAt = (blocks: readonly (ChainBlock | null)[]): void => {
    for (const block of blocks) {
      if (block !== null) delays.lookAt(block);
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
          if (name === 'unconfirmed') delays.look(answer as UnconfirmedView);
          if (name === 'blockAt' || name === 'blockAfter') lookAt([answer as ChainBlock | null]);
          if (name === 'blocksFrom') lookAt(answer as readonly ChainBlock[]);
          return answer;
        };
      },
    });
  return metered(adapter);
}

/**
 * Time from a node's first sight of money to ours, once per output. A node that does not say when it first
 * had a transaction is taken at its block's word: money is looked for from the time of its block on.
 */
class DelayMeter {
  readonly #tell: (delayMs: number) => void;
  readonly #clock: Clock;
  readonly #byBlocks: boolean;
  /** What the last view showed and need not be measured again; null before the first. */
  #measured: ReadonlySet<string> | null = null;
  /** Blocks up to here were looked at: read again after a reorganisation or on request, they say nothing new. */
  #height = -1;

  constructor(tell: (delayMs: number) => void, clock: Clock, byBlocks: boolean) {
    this.#tell = tell;
    this.#clock = clock;
    this.#byBlocks = byBlocks;
  }

  look(view: UnconfirmedView): void {
    const before = this.#measured;
    const measured = new Set<string>();
    for (const { ref, nodeTimeMs } of view.credits) {
      if (this.#byBlocks && nodeTimeMs === null) continue;
      const key = outputKey(ref);
      if (measured.size < MAX_REMEMBERED) measured.add(key);
      // What was there before the first look says nothing about the delay.
      if (before === null || before.has(key) || nodeTimeMs === null) continue;
      this.#measure(nodeTimeMs);
    }
    this.#measured = measured;
    if (before === null) this.#height = Math.max(this.#height, view.tip.height);
  }

  lookAt({ height, timeMs, credits }: ChainBlock): void {
    const measured = this.#measured;
    // Blocks that were missed while we were not running are no delay of ours.
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
