import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Shop } from '../../test/_helpers/api-client.ts';
import { eventually } from '../../test/_helpers/poll.ts';
import { toAtoms } from '../../test/_helpers/nodes/index.ts';
import type { Env } from '../../test/_helpers/till.ts';
import { runTool } from '../../test/_helpers/tool.ts';
import { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import { Load, type Keys } from './load.ts';
import { Machine } from './machine.ts';
import { nodePayer, type Payer } from './payer.ts';
import { judge, type Verdict } from './verdict.ts';

export interface Round extends Verdict {
  readonly number: number;
  /** From the power failure until the second machine answers. */
  readonly backMs: number;
}

export interface CampaignOptions {
  readonly rounds: number;
  /** Load before each power failure; the moment varies by up to half of it. */
  readonly loadMs: number;
  readonly onRound?: (round: Round) => void;
}

/** One look of the first machine, and of the load on the second. */
const AFTER_MS = 500;
/** What was acknowledged longer before the power failed may not be lost. */
const MAX_LOSS_MS = 1_000;

/**
 * A shop at work on a machine whose power fails, again and again: each time another machine takes over from the
 * replica, both histories are compared, and the first one, powered on again, has to refuse.
 */
export async function runCampaign({ rounds, loadMs, onRound }: CampaignOptions): Promise<Round[]> {
  const dir = mkdtempSync(join(tmpdir(), 'till-failover-'));
  const replica = join(dir, 'replica');
  const payer = await nodePayer('BTC');
  const env: Env = {
    TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator',
    TILLD_REPLICA_URL: replica,
    ...payer.env,
  };
  const sink = await WebhookSink.start();
  const results: Round[] = [];
  let machine = await Machine.start(env, join(dir, 'machine-0'));
  try {
    const keys = await openShop(machine, payer, sink);
    const backup = join(dir, 'keyring.backup');
    const made = await runTool('backup', [backup, '--data-dir', machine.dataDir], { env });
    if (made.code !== 0) throw new Error(made.stderr);
    const addresses = new Map<string, string>();
    for (let number = 1; number <= rounds; number += 1) {
      await machine.replicated();
      const load = new Load(machine.till.api.baseUrl, { keys, payer, tag: `round-${number}` });
      await pause(loadMs * (0.5 + Math.random()));
      const first = machine;
      const diedAt = performance.now();
      await first.powerOff();
      await load.stop();
      const dataDir = join(dir, `machine-${number}`);
      machine = await Machine.takeOver(env, { dataDir, backup, replica });
      const backMs = performance.now() - diedAt;
      const going = new Load(machine.till.api.baseUrl, { keys, payer, tag: `after-${number}` });
      await pause(AFTER_MS);
      await going.stop();
      const { baseUrl } = machine.till.api;
      const compared = {
        baseUrl,
        keys,
        before: load.history,
        after: going.history,
        diedAt,
        maxLossMs: MAX_LOSS_MS,
        sink,
        payer,
        addresses,
      };
      const verdict = await judge(compared);
      const refusal = await first.refusal();
      if (refusal === null || !refusal.includes('another machine has taken over'))
        verdict.violations.push(`the first machine did not refuse: ${refusal ?? 'it started'}`);
      first.remove();
      const round = { ...verdict, number, backMs };
      results.push(round);
      onRound?.(round);
    }
    return results;
  } finally {
    await machine.powerOff();
    await Promise.all([sink.close(), payer.stop()]);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A shop with money to send. */
async function openShop(machine: Machine, payer: Payer, sink: WebhookSink): Promise<Keys> {
  const { api } = machine.till;
  const shop = await Shop.open(api, { webhookUrl: sink.url });
  await machine.till.ready();
  await payer.fund(shop);
  await eventually(
    'there is money to send',
    async () => toAtoms(await shop.balance('BTC')),
    (balance) => balance > 0n,
  );
  const { publicKey, secretKey, customerId } = shop;
  return { publicKey, secretKey, customerId };
}
