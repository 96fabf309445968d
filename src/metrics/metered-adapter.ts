import { outputKey, type ChainAdapter, type UnconfirmedView } from '../domain/chain.ts';
import type { Clock } from '../domain/ports.ts';
import type { NodeMetrics } from './node-metrics.ts';

/** Outputs of the last view that are remembered: a flooded mempool must not grow this without end. */
const MAX_REMEMBERED = 100_000;

/** The calls that ask a node; every other member of an adapter is passed through as it is. */
const ASKING: ReadonlySet<PropertyKey> = new Set<keyof ChainAdapter>([
  'status',
  'tip',
  'finalizedHeight',
  'finalBlocks',
  'hashAt',
  'blockBefore',
  'blockAt',
  'blocksFrom',
  'blockAfter',
  'unconfirmed',
  'recheck',
  'feeQuote',
  'measure',
  'broadcast',
  'scanUnspent',
  'balancesAt',
]);

/**
 * The same adapter, with every call to its node timed, and the delay of what it sees in the mempool. A
 * proxy, so that what only some chains have is neither lost nor made up.
 */
export function meterAdapter(adapter: ChainAdapter, metrics: NodeMetrics, clock: Clock): ChainAdapter {
  const { coin, mode } = adapter;
  const delays = new DelayMeter((delayMs) => metrics.detected({ coin, mode }, delayMs), clock);
  return new Proxy(adapter, {
    get: (target, name): unknown => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      const method = (...args: unknown[]): unknown => Reflect.apply(member, target, args);
      if (!ASKING.has(name)) return method;
      return async (...args: unknown[]): Promise<unknown> => {
        const answer = await metrics.time({ coin, mode, call: String(name) }, async () => method(...args));
        if (name === 'unconfirmed') delays.look(answer as UnconfirmedView);
        return answer;
      };
    },
  });
}

/** Time from a node's first sight of money to ours, once per output. */
class DelayMeter {
  readonly #tell: (delayMs: number) => void;
  readonly #clock: Clock;
  #known: ReadonlySet<string> | null = null;

  constructor(tell: (delayMs: number) => void, clock: Clock) {
    this.#tell = tell;
    this.#clock = clock;
  }

  look(view: UnconfirmedView): void {
    const now = this.#clock.now();
    const seen = new Set<string>();
    for (const { ref, nodeTimeMs } of view.credits) {
      const key = outputKey(ref);
      if (seen.size < MAX_REMEMBERED) seen.add(key);
      // What was there before the first look says nothing about the delay.
      if (this.#known === null || this.#known.has(key) || nodeTimeMs === null) continue;
      this.#tell(Math.max(0, now - nodeTimeMs));
    }
    this.#known = seen;
  }
}
