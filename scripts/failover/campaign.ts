import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Env } from '../../test/_helpers/till.ts';
import { runTool } from '../../test/_helpers/tool.ts';
import { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import type { Coin } from '../../src/domain/coins.ts';
import { Load } from './load.ts';
import { Machine } from './machine.ts';
import { openShop } from './open-shop.ts';
import { nodePayer } from './payers/node-payer.ts';
import { Witness, type Verdict } from './witness.ts';

export interface Round extends Verdict {
  readonly number: number;
  /** From the power failure until the second machine responds. */
  readonly backMs: number;
}

export interface CampaignOptions {
  readonly rounds: number;
  /** Chains, each with its own node. */
  readonly coins: readonly Coin[];
  /** Load before each power failure; the moment varies by up to half of it. */
  readonly loadMs: number;
  readonly onRound?: (round: Round) => void;
  /** Ends the campaign after the current round. */
  readonly signal?: AbortSignal;
}

export interface Campaign {
  readonly rounds: readonly Round[];
  readonly webhooks: number;
  /** Of all rounds, and of the time after the last. */
  readonly violations: readonly string[];
}

/** Time for one poll of the first machine, and for load on the second. */
const AFTER_MS = 500;
/** Items acknowledged earlier before the power failure than this must not be lost. */
const MAX_LOSS_MS = 1_000;

/**
 * Repeated power failures of a machine that serves a busy shop: each time another machine takes over from the replica,
 * both histories are compared, and the first machine, powered on again, must refuse to start.
 */
export async function runCampaign(options: CampaignOptions): Promise<Campaign> {
  const { rounds, coins, loadMs, onRound, signal } = options;
  await using closing = new AsyncDisposableStack();
  const dir = mkdtempSync(join(tmpdir(), 'till-failover-'));
  closing.defer(() => rmSync(dir, { recursive: true, force: true }));
  const replica = join(dir, 'replica');
  const payers = await Promise.all(coins.map(async (coin) => nodePayer(coin)));
  closing.defer(async () => void (await Promise.all(payers.map(async (payer) => payer.stop()))));
  const env: Env = Object.assign(
    { TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator', TILLD_REPLICA_URL: replica },
    ...payers.map((payer) => payer.env),
  );
  const sink = closing.use(await WebhookSink.start());
  let machine = await Machine.start(env, join(dir, 'machine-0'));
  closing.defer(async () => machine.powerOff());
  await machine.till.ready();
  const keys = await openShop(machine.till.api, payers, sink);
  const backup = join(dir, 'keyring.backup');
  const made = await runTool('backup', [backup, '--data-dir', machine.dataDir], { env });
  if (made.code !== 0) throw new Error(made.stderr);
  const witness = new Witness({ keys, payers, sink });
  const results: Round[] = [];
  for (let number = 1; number <= rounds; number += 1) {
    if (signal?.aborted === true) break;
    await machine.replicated();
    const dataDir = join(dir, `machine-${number}`);
    const load = new Load(machine.till.api.baseUrl, { keys, payers, tag: `round-${number}` });
    await pause(loadMs * (0.5 + Math.random()));
    const first = machine;
    const diedAt = performance.now();
    await first.powerOff();
    await load.stop();
    machine = await Machine.takeOver(env, { dataDir, backup, replica });
    const backMs = performance.now() - diedAt;
    const { baseUrl } = machine.till.api;
    const going = new Load(baseUrl, { keys, payers, tag: `after-${number}` });
    await pause(AFTER_MS);
    await going.stop();
    const [before, after] = [load.history, going.history];
    const verdict = await witness.see({ baseUrl, before, after, diedAt, maxLossMs: MAX_LOSS_MS });
    const refusal = await first.refusal();
    if (refusal === null || !refusal.includes('another machine has taken over'))
      verdict.violations.push(`the first machine did not refuse: ${refusal ?? 'it started'}`);
    first.remove();
    const round = { ...verdict, number, backMs };
    results.push(round);
    onRound?.(round);
  }
  const last = await witness.rest(machine.till.api.baseUrl);
  const violations = [...results.flatMap((round) => round.violations), ...last];
  return { rounds: results, webhooks: witness.webhooks, violations };
}
