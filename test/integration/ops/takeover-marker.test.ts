/** What a takeover leaves in the replica, and what a restore makes of it. */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Machine } from '../../../scripts/failover/machine.ts';
import { writeEpoch } from '../../../src/replica/epoch.ts';
import type { ReplicaTarget } from '../../../src/replica/litestream.ts';
import { takeOver } from '../../../src/replica/take-over.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { runTool, startTool, type ToolResult } from '../../_helpers/tool.ts';

let place: string;
let dir: string;
let replica: string;
let env: Record<string, string>;
const PASSPHRASE = { TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator' };
/** Made by the machine that died, and in its replica. */
let payment: string;

const backup = () => join(place, 'keyring.backup');
const template = () => join(place, 'replica');

/** A machine that died, whose replica holds one payment: each test has a copy of the replica. */
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'till-marker-'));
  env = { ...PASSPHRASE, TILLD_REPLICA_URL: template() };
  const machine = await Machine.start(env, join(place, 'first'));
  const shop = await Shop.open(machine.till.api);
  ({ id: payment } = await shop.createPayment());
  const madeBackup = await runTool('backup', [backup(), '--data-dir', machine.dataDir], { env });
  expect(madeBackup).toMatchObject({ code: 0 });
  const look = join(place, 'look');
  await eventually(
    'the replica has the payment',
    async () => {
      rmSync(look, { recursive: true, force: true });
      await restoreFrom(template(), look);
      return paymentsOf(look);
    },
    (ids) => ids.includes(payment),
    60_000,
  );
  await machine.powerOff();
});
afterAll(() => rmSync(place, { recursive: true, force: true }));
beforeEach(() => {
  dir = mkdtempSync(join(place, 'test-'));
  replica = join(dir, 'replica');
  cpSync(template(), replica, { recursive: true });
  env = { ...PASSPHRASE, TILLD_REPLICA_URL: replica };
});

async function restoreFrom(from: string, dataDir: string, ...more: string[]): Promise<ToolResult> {
  // Few addresses ahead: the next start derives and watches each of them.
  const args = ['--nothing-revoked', '--from-replica', from, '--data-dir', dataDir, '--look-ahead', '5'];
  return runTool('restore', [backup(), ...args, ...more], { env });
}

async function restore(name: string, ...more: string[]): Promise<ToolResult> {
  return restoreFrom(replica, join(dir, name), ...more);
}

async function promote(name: string): Promise<ToolResult> {
  return runTool('promote', ['--other-machine-off', '--data-dir', join(dir, name)], { env });
}

function paymentsOf(dataDir: string): string[] {
  if (!existsSync(join(dataDir, 'tilld.sqlite'))) return [];
  const sqlite = new Sqlite(join(dataDir, 'tilld.sqlite'), { readonly: true });
  try {
    return sqlite.prepare('SELECT id FROM payments').pluck().all() as string[];
  } finally {
    sqlite.close();
  }
}

describe('a machine that took over from the replica', () => {
  it('does not hide the earlier database from the next machine when it died before its first snapshot', async () => {
    expect(await restore('second')).toMatchObject({ code: 0 });
    expect(await promote('second')).toMatchObject({ code: 0, stdout: expect.stringContaining('epoch 2') });

    const third = await restore('third');
    expect(third).toMatchObject({ code: 0 });
    expect(third.stderr).toContain('This is the database of epoch 1. Epoch 2 has begun, too');
    expect(paymentsOf(join(dir, 'third'))).toEqual([payment]);
    expect(await promote('third')).toMatchObject({ code: 0, stdout: expect.stringContaining('epoch 3') });
    // The one before it has lost its office although nothing of it was ever in the replica.
    const second = await TillProcess.spawn(env, join(dir, 'second'));
    expect((await second.ended()).code).not.toBe(0);
    expect(second.output).toContain('another machine has taken over (epoch 3, this one has 2)');
  });

  it('reports no lag for a replica that contains only its takeover marker', async () => {
    await restore('second');
    await promote('second');
    const alone = await TillProcess.start(env, join(dir, 'second'));
    const look = async () => (await alone.api.call('GET', '/readyz')).body.data as { replica: unknown };
    await eventually('a look at the replica', look, (data) =>
      JSON.stringify(data.replica).includes('holds nothing of this machine'),
    );
    expect(await look()).toMatchObject({ replica: { epoch: 2, lagSeconds: null } });
    await alone.terminate();
    const machine = await Machine.start(env, join(dir, 'second'));
    await machine.replicated();
    expect((await machine.till.api.call('GET', '/readyz')).body.data).toMatchObject({
      replica: { epoch: 2, lastError: null },
    });
    await machine.powerOff();
  });
});

it('a takeover that is killed while it waits leaves a database with which the daemon refuses to start', async () => {
  await restore('second');
  const promoting = startTool('promote', ['--data-dir', join(dir, 'second')], { env });
  await eventually(
    'the epoch is shown',
    () => existsSync(join(replica, 'epoch-2')),
    (isShown) => isShown,
    60_000,
  );
  promoting.child.kill('SIGKILL');
  await promoting.done;
  const till = await TillProcess.spawn(env, join(dir, 'second'));
  expect((await till.ended()).code).not.toBe(0);
  expect(till.output).toContain('run tillctl promote first');
  expect(await promote('second')).toMatchObject({ code: 0, stdout: expect.stringContaining('epoch 3') });
});

it('at most one of two concurrent takeovers succeeds', async () => {
  const target: ReplicaTarget = {
    url: { reveal: () => `file://${join(dir, 'empty')}` },
    s3Endpoint: null,
    s3Region: null,
  };
  const databases = await Promise.all([openDatabase(':memory:'), openDatabase(':memory:')]);
  try {
    for (const { db } of databases) await writeEpoch(db, { number: 1, state: 'restored', marker: null });
    for (let round = 1; round <= 5; round += 1) {
      const ends = await Promise.allSettled(databases.map(async ({ db }) => takeOver(db, target)));
      const winners = ends.filter(({ status }) => status === 'fulfilled');
      expect(winners.length).toBeLessThan(2);
    }
  } finally {
    await Promise.all(databases.map(async (database) => database.close()));
  }
});

it('a restore names a damaged replica generation, and uses an older one only when the operator says so', async () => {
  await restore('second');
  await promote('second');
  const second = await Machine.start(env, join(dir, 'second'));
  await second.replicated();
  await second.powerOff();
  cutSnapshots(join(replica, 'epoch-2'));

  const skipped: string[] = [];
  let restored = await restore('third');
  for (let named = namedIn(restored); named !== null && skipped.length < 5; named = namedIn(restored)) {
    expect(restored).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('of epoch 2 cannot be restored'),
    });
    expect(paymentsOf(join(dir, 'third'))).toEqual([]);
    skipped.push('--skip', named);
    restored = await restore('third', ...skipped);
  }
  expect(skipped).not.toEqual([]);
  expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('database of epoch 1') });
  expect(paymentsOf(join(dir, 'third'))).toEqual([payment]);
});

/** The generation that the operator may skip. */
function namedIn({ stderr }: ToolResult): string | null {
  return /--skip ([0-9a-f]{16})/.exec(stderr)?.[1] ?? null;
}

/** As an upload leaves them that a dying machine broke off. */
function cutSnapshots(folder: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of files.filter((file) => file.name.endsWith('.snapshot.lz4')))
    truncateSync(join(parentPath, name), 100);
}
