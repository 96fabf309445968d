import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCampaign } from '../../../scripts/failover/campaign.ts';
import { Machine } from '../../../scripts/failover/machine.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { requireNode } from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

let dir: string;
let env: Record<string, string>;
let replica: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'till-second-'));
  replica = join(dir, 'replica');
  env = { TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator', TILLD_REPLICA_URL: replica };
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function keyringOf(machine: Machine): Promise<string> {
  const backup = join(dir, 'keyring.backup');
  expect(await runTool('backup', [backup, '--data-dir', machine.dataDir], { env })).toMatchObject({
    code: 0,
  });
  return backup;
}

/** Starts a daemon that is expected to refuse. */
async function refusal(dataDir: string, more: Record<string, string> = {}): Promise<string> {
  const till = await TillProcess.spawn({ ...env, ...more }, dataDir);
  const { code } = await till.ended();
  expect(code).not.toBe(0);
  return till.output;
}

describe.skipIf(!requireNode('BTC'))('a power failure under load', () => {
  it('loses nothing acknowledged a second before, and gives out and pays nothing twice', async () => {
    const rounds = await runCampaign({ rounds: 3, loadMs: 1_500 });
    expect(rounds.flatMap(({ violations }) => violations)).toEqual([]);
    expect(rounds.every(({ payments, sends }) => payments > 0 && sends > 0)).toBe(true);
  });
});

describe('two machines', () => {
  it('stops a machine that runs when another takes over, and does not start it again', async () => {
    const first = await Machine.start(env, join(dir, 'first'));
    const shop = await Shop.open(first.till.api);
    await first.replicated();
    const { body } = await shop.api.call('GET', '/readyz');
    expect(body.data).toMatchObject({ replica: { epoch: 1, lastError: null } });
    const metrics = await (await fetch(`${shop.api.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^tilld_replica_epoch 1$/m);
    expect(metrics).toMatch(/^tilld_replica_lag_seconds \d+$/m);
    const payment = await shop.createPayment();
    const backup = await keyringOf(first);
    const dataDir = join(dir, 'second');
    const restore = [backup, '--from-replica', replica, '--data-dir', dataDir];
    await eventually(
      'the replica has the payment',
      async () => {
        rmSync(dataDir, { recursive: true, force: true });
        const { code, stderr } = await runTool('restore', restore, { env });
        expect({ code, stderr }).toMatchObject({ code: 0 });
        return readPayments(dataDir);
      },
      (ids) => ids.includes(payment.id),
      60_000,
    );
    // A copy that has not taken over.
    expect(await refusal(dataDir)).toContain('run scripts/promote first');
    expect(await runTool('promote', ['--other-machine-off', '--data-dir', dataDir], { env })).toMatchObject({
      code: 0,
    });
    // The word was not true: the first machine sees the takeover by itself.
    const { code } = await first.till.ended();
    expect(code).toBe(2);
    expect(await first.refusal()).toContain('another machine has taken over (epoch 2, this one has 1)');
    // Not even the operator's word starts it.
    expect(await refusal(first.dataDir, { TILLD_OTHER_MACHINE_OFF: 'on' })).toContain(
      'another machine has taken over',
    );
    const second = await Machine.start(env, dataDir);
    const found = await second.till.api.call('GET', `/payment/get?paymentId=${payment.id}`, {
      token: shop.secretKey,
    });
    expect(found.status).toBe(200);
    await first.powerOff();
    await second.powerOff();
  });

  it("asks for the operator's word where the replica cannot tell", async () => {
    const machine = await Machine.start(env, join(dir, 'first'));
    await machine.replicated();
    await machine.powerOff();
    // An absent mount: an empty folder in its place shows no other machine, and not this one either.
    renameSync(replica, `${replica}-elsewhere`);
    expect(await refusal(machine.dataDir)).toContain('TILLD_OTHER_MACHINE_OFF=on');
    const trusted = await TillProcess.start({ ...env, TILLD_OTHER_MACHINE_OFF: 'on' }, machine.dataDir);
    await trusted.end();
  });

  it('refuses a replica that belongs to another database', async () => {
    const machine = await Machine.start(env, join(dir, 'first'));
    await machine.replicated();
    expect(await refusal(join(dir, 'stranger'))).toContain('holds the replica of another database');
    await machine.powerOff();
  });

  it('warns while nobody replicates', async () => {
    const till = await TillProcess.start({ ...env, TILLD_REPLICA_MAX_LAG: '30s' }, join(dir, 'first'));
    const warnings = async () => {
      const { body } = await till.api.call('GET', '/readyz');
      return (body.data as { warnings: string[] }).warnings;
    };
    expect(await warnings()).toEqual([]);
    const [warning] = await eventually('a warning', warnings, (found) => found.length > 0, 60_000);
    expect(warning).toMatch(/^the replica is \d+ seconds behind: the replica holds nothing of this machine$/);
    await till.end();
  });
});

function readPayments(dataDir: string): string[] {
  const sqlite = new Sqlite(join(dataDir, 'tilld.sqlite'), { readonly: true });
  try {
    return sqlite.prepare('SELECT id FROM payments').pluck().all() as string[];
  } finally {
    sqlite.close();
  }
}
