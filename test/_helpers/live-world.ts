import type { AppOptions } from '../../src/app/app.ts';
import { Anvil } from './anvil/anvil.ts';
import { Shop } from './api-client.ts';
import { startFaultProxy, startNode, type FaultProxy, type RegtestNode } from './nodes/index.ts';
import { SvmNode } from './svm/node.ts';
import { liveEnv, Till, TillProcess, type Env } from './till.ts';
import { WebhookSink } from './webhook-sink.ts';

interface NodeOf {
  BTC: RegtestNode;
  LTC: RegtestNode;
  ETH: Anvil;
  SOL: SvmNode;
}
type LiveCoin = keyof NodeOf;

interface LiveOptions<N> {
  /** Starts the node; one with the usual options otherwise. */
  readonly node?: () => Promise<N>;
  /** Faults that the till meets from its start on. */
  readonly faults?: (proxy: FaultProxy) => unknown;
  /** Settings in addition to those of the node. */
  readonly env?: Env;
  /** Where the shop gets its webhooks; at the sink otherwise. */
  readonly webhookUrl?: string;
}

/** One real node, a ready till on it, and a shop. */
export interface LiveWorld<N, T extends Till | TillProcess> extends AsyncDisposable {
  readonly node: N;
  /** What the till reaches the node through: it lets everything pass until a test injects a fault. */
  readonly proxy: FaultProxy;
  /** Gets the shop's webhooks. */
  readonly sink: WebhookSink;
  /** The settings that the till was started with. */
  readonly env: Env;
  readonly till: T;
  readonly shop: Shop;
  /** Ends all of it, what was started last first. */
  end(): Promise<void>;
}

/** A till inside the test's process, with a node of the coin. */
export async function openLiveWorld<C extends LiveCoin>(
  coin: C,
  options: LiveOptions<NodeOf[C]> & { readonly app?: Partial<AppOptions> } = {},
): Promise<LiveWorld<NodeOf[C], Till>> {
  return open(coin, options, async (env) => Till.start(env, options.app));
}

/** The same with the till in a process of its own, for kill -9. */
export async function openLiveProcess<C extends LiveCoin>(
  coin: C,
  options: LiveOptions<NodeOf[C]> = {},
): Promise<LiveWorld<NodeOf[C], TillProcess>> {
  return open(coin, options, async (env) => TillProcess.start(env));
}

async function open<C extends LiveCoin, T extends Till | TillProcess>(
  coin: C,
  options: LiveOptions<NodeOf[C]>,
  startTill: (env: Env) => Promise<T>,
): Promise<LiveWorld<NodeOf[C], T>> {
  await using starting = new AsyncDisposableStack();
  const start = options.node ?? NODES[coin];
  const node = starting.adopt(await start(), async (it) => it.stop());
  const proxy = starting.adopt(await startFaultProxy(urlOf(node)), async (it) => it.close());
  options.faults?.(proxy);
  const sink = starting.adopt(await WebhookSink.start(), async (it) => it.close());
  const env = { ...liveEnv({ [coin]: proxy.url }), ...options.env };
  const till = starting.adopt(await startTill(env), async (it) => it.end());
  const shop = await Shop.open(till.api, { webhookUrl: options.webhookUrl ?? sink.url });
  await till.ready();
  const started = starting.move();
  const end = async (): Promise<void> => started.disposeAsync();
  return { node, proxy, sink, env, till, shop, end, [Symbol.asyncDispose]: end };
}

const NODES: { readonly [C in LiveCoin]: () => Promise<NodeOf[C]> } = {
  BTC: async () => startNode('BTC'),
  LTC: async () => startNode('LTC'),
  ETH: async () => Anvil.start(),
  SOL: async () => SvmNode.start(),
};

function urlOf(node: RegtestNode | Anvil | SvmNode): string {
  return 'rpcUrl' in node ? node.rpcUrl : node.url;
}
