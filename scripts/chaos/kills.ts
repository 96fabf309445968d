import { setTimeout as pause } from 'node:timers/promises';
import { Shop } from '../../test/_helpers/api-client.ts';
import { eventually } from '../../test/_helpers/poll.ts';
import { TillProcess } from '../../test/_helpers/till.ts';
import { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import { Load } from '../failover/load.ts';
import { nodePayer, sandboxPayer, type Payer } from '../failover/payer.ts';
import { judge } from '../failover/verdict.ts';

const WORLDS = ['sandbox', 'BTC node', 'LTC node'] as const;
const LOAD_MS = 1_500;
const AFTER_MS = 300;
const COLUMNS = ['world', 'kills', 'payments', 'sends', 'lost', 'webhooks', 'back after', 'violations'];

function print(cells: readonly (string | number)[]): void {
  process.stdout.write(`${cells.map((cell) => String(cell).padStart(10)).join(' ')}\n`);
}

/**
 * Kills a daemon with SIGKILL in the middle of its work and starts it again on the same data, so many times on each
 * world. Nothing acknowledged may be lost, no address given out twice, no send paid twice, no webhook missing.
 * @returns the violations
 */
export async function killCampaign(kills: number): Promise<string[]> {
  const violations: string[] = [];
  print(COLUMNS);
  for (const world of WORLDS) {
    const told = await killIn(world, kills);
    violations.push(...told.violations.map((text) => `${world}: ${text}`));
    const { payments, sends, lost, webhooks, backMs } = told;
    print([
      world,
      kills,
      payments,
      sends,
      lost,
      webhooks,
      `${(backMs / 1000).toFixed(1)} s`,
      told.violations.length,
    ]);
  }
  for (const violation of violations) process.stdout.write(`${violation}\n`);
  return violations;
}

interface Told {
  readonly violations: string[];
  payments: number;
  sends: number;
  lost: number;
  webhooks: number;
  /** The longest time from a kill until the daemon answers again. */
  backMs: number;
}

async function killIn(world: (typeof WORLDS)[number], kills: number): Promise<Told> {
  await using closing = new AsyncDisposableStack();
  const sink = closing.use(await WebhookSink.start());
  let running: TillProcess | null = null;
  const payer: Payer =
    world === 'sandbox'
      ? sandboxPayer(() => {
          if (running === null) throw new Error('the daemon does not run');
          return running.api;
        })
      : await nodePayer(world === 'BTC node' ? 'BTC' : 'LTC');
  closing.defer(async () => payer.stop());
  const till = closing.use(await TillProcess.start(payer.env));
  running = till;
  await till.ready();
  const keys = await openShop(till, payer, sink);
  const told: Told = { violations: [], payments: 0, sends: 0, lost: 0, webhooks: 0, backMs: 0 };
  const addresses = new Map<string, string>();
  for (let kill = 1; kill <= kills; kill += 1) {
    const load = new Load(till.api.baseUrl, { keys, payer, tag: `kill-${kill}` });
    await pause(LOAD_MS * (0.3 + Math.random()));
    const diedAt = performance.now();
    await till.kill9();
    await load.stop();
    await till.up();
    told.backMs = Math.max(told.backMs, performance.now() - diedAt);
    await till.ready();
    const going = new Load(till.api.baseUrl, { keys, payer, tag: `after-${kill}` });
    await pause(AFTER_MS);
    await going.stop();
    const { baseUrl } = till.api;
    const [before, after] = [load.history, going.history];
    const verdict = await judge({
      baseUrl,
      keys,
      before,
      after,
      diedAt,
      maxLossMs: 0,
      sink,
      payer,
      addresses,
    });
    told.violations.push(...verdict.violations);
    told.payments += verdict.payments;
    told.sends += verdict.sends;
    told.lost += verdict.lost;
    told.webhooks = verdict.webhooks;
  }
  return told;
}

async function openShop(till: TillProcess, payer: Payer, sink: WebhookSink) {
  const shop = await Shop.open(till.api, { webhookUrl: sink.url });
  await payer.fund(shop);
  await eventually(
    'there is money to send',
    async () => Number(await shop.balance(payer.coin)),
    (balance) => balance > 0.01,
    60_000,
  );
  const { publicKey, secretKey, customerId } = shop;
  return { publicKey, secretKey, customerId };
}
