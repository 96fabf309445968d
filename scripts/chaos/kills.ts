import { setTimeout as pause } from 'node:timers/promises';
import type { Coin } from '../../src/domain/coins.ts';
import { TillProcess } from '../../test/_helpers/till.ts';
import { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import { Load } from '../failover/load.ts';
import { openShop } from '../failover/open-shop.ts';
import type { Payer } from '../failover/payer.ts';
import { nodePayer } from '../failover/payers/node-payer.ts';
import { sandboxPayer } from '../failover/payers/sandbox.ts';
import { Witness } from '../failover/witness.ts';

type World = 'sandbox' | Coin;

export const WORLDS: readonly World[] = ['sandbox', 'BTC', 'LTC', 'ETH', 'SOL'];
const LOAD_MS = 1_500;
const AFTER_MS = 300;
const TOLD_EVERY = 25;
const COLUMNS = ['world', 'kills', 'payments', 'sends', 'lost', 'webhooks', 'back after', 'violations'];

interface KillResult {
  readonly world: World;
  readonly violations: string[];
  kills: number;
  payments: number;
  sends: number;
  lost: number;
  webhooks: number;
  /** The longest time from a kill until the daemon responds again. */
  backMs: number;
}

function print(cells: readonly (string | number)[]): void {
  process.stdout.write(`${cells.map((cell) => String(cell).padStart(10)).join(' ')}\n`);
}

function printResult({
  world,
  kills,
  payments,
  sends,
  lost,
  webhooks,
  backMs,
  violations,
}: KillResult): void {
  const back = `${(backMs / 1000).toFixed(1)} s`;
  print([world, kills, payments, sends, lost, webhooks, back, violations.length]);
}

/**
 * Kills a daemon with SIGKILL during its work and restarts it on the same data, a number of times in all, distributed
 * over the worlds: the sandbox, or a node of a coin. Checks that acknowledged data is never lost, addresses are never
 * assigned twice, sends are never paid twice, and no webhook is missing. SIGINT and SIGTERM end it after the next
 * kill, with the results so far.
 * @returns the violations
 */
export async function killCampaign(kills: number, worlds: readonly World[]): Promise<string[]> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  print(COLUMNS);
  const all: KillResult[] = [];
  for (const [at, world] of worlds.entries()) {
    const share = Math.floor((kills * (at + 1)) / worlds.length) - Math.floor((kills * at) / worlds.length);
    if (share === 0 || interrupted.signal.aborted) continue;
    all.push(await killIn(world, share, interrupted.signal));
  }
  process.stdout.write('\n');
  print(COLUMNS);
  for (const result of all) printResult(result);
  const violations = all.flatMap(({ world, violations: found }) => found.map((text) => `${world}: ${text}`));
  for (const violation of violations) process.stdout.write(`${violation}\n`);
  return violations;
}

async function killIn(world: World, kills: number, signal: AbortSignal): Promise<KillResult> {
  await using closing = new AsyncDisposableStack();
  const sink = closing.use(await WebhookSink.start());
  let running: TillProcess | null = null;
  const payer = await payerIn(world, () => {
    if (running === null) throw new Error('the daemon is not running');
    return running;
  });
  closing.defer(async () => payer.stop());
  const till = closing.use(await TillProcess.start(payer.env));
  running = till;
  await till.ready();
  const payers = [payer];
  const keys = await openShop(till.api, payers, sink);
  const witness = new Witness({ keys, payers, sink });
  const { baseUrl } = till.api;
  const result: KillResult = {
    world,
    violations: [],
    kills: 0,
    payments: 0,
    sends: 0,
    lost: 0,
    webhooks: 0,
    backMs: 0,
  };
  while (result.kills < kills && !signal.aborted) {
    result.kills += 1;
    const load = new Load(baseUrl, { keys, payers, tag: `kill-${result.kills}` });
    await pause(LOAD_MS * (0.3 + Math.random()));
    const diedAt = performance.now();
    await till.kill9();
    await load.stop();
    await till.up();
    result.backMs = Math.max(result.backMs, performance.now() - diedAt);
    const going = new Load(baseUrl, { keys, payers, tag: `after-${result.kills}` });
    await pause(AFTER_MS);
    await going.stop();
    const [before, after] = [load.history, going.history];
    const { violations, ...seen } = await witness.see({ baseUrl, before, after, diedAt, maxLossMs: 0 });
    result.violations.push(...violations.map((text) => `kill ${result.kills}: ${text}`));
    result.payments += seen.payments;
    result.sends += seen.sends;
    result.lost += seen.lost;
    result.webhooks = witness.webhooks;
    if (result.kills % TOLD_EVERY === 0) printResult(result);
  }
  result.violations.push(...(await witness.rest(baseUrl)));
  result.webhooks = witness.webhooks;
  return result;
}

async function payerIn(world: World, running: () => TillProcess): Promise<Payer> {
  return world === 'sandbox' ? sandboxPayer(() => running().api) : nodePayer(world);
}
