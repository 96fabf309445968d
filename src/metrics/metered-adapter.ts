import { outputKey, type ChainAdapter, type UnconfirmedView } from '../domain/chain.ts';
import type { Clock } from '../domain/ports.ts';
import type { NodeMetrics } from './node-metrics.ts';

/** Outputs of the last view that are remembered: a flooded mempool must not grow this without end. */
const MAX_REMEMBERED = 100_000;

/** The same adapter, with every call to its node timed, and the delay of what it sees in the mempool. */
export function meterAdapter(adapter: ChainAdapter, metrics: NodeMetrics, clock: Clock): ChainAdapter {
  const { coin, mode } = adapter;
  const timed = async <T>(call: string, work: () => Promise<T>): Promise<T> =>
    metrics.time({ coin, mode, call }, work);
  const delays = new DelayMeter((delayMs) => metrics.detected({ coin, mode }, delayMs), clock);
  return {
    ...meteredScan(adapter, timed),
    coin,
    mode,
    network: adapter.network,
    minimumPayment: adapter.minimumPayment,
    status: () => timed('status', () => adapter.status()),
    tip: () => timed('tip', () => adapter.tip()),
    hashAt: (height) => timed('hashAt', () => adapter.hashAt(height)),
    blockBefore: (timeMs) => timed('blockBefore', () => adapter.blockBefore(timeMs)),
    blockAt: (height) => timed('blockAt', () => adapter.blockAt(height)),
    unconfirmed: async () => {
      const view = await timed('unconfirmed', () => adapter.unconfirmed());
      delays.look(view);
      return view;
    },
    recheck: (transactions) => timed('recheck', () => adapter.recheck(transactions)),
    addressProblem: (address) => adapter.addressProblem(address),
    watchKey: (address) => adapter.watchKey(address),
    paymentUri: (request) => adapter.paymentUri(request),
    feeQuote: (intent) => timed('feeQuote', () => adapter.feeQuote(intent)),
    planSend: (request) => adapter.planSend(request),
    signSend: (plan, keys) => adapter.signSend(plan, keys),
    planBump: (request) => adapter.planBump(request),
    broadcast: (transaction) => timed('broadcast', () => adapter.broadcast(transaction)),
    close: () => adapter.close(),
  };
}

/** Chains without a set of unspent outputs go on having none. */
function meteredScan(
  adapter: ChainAdapter,
  timed: <T>(call: string, work: () => Promise<T>) => Promise<T>,
): Pick<ChainAdapter, 'scanUnspent'> {
  const scan = adapter.scanUnspent?.bind(adapter);
  if (scan === undefined) return {};
  return { scanUnspent: async (query) => timed('scanUnspent', () => scan(query)) };
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
