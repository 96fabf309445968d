import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Machine } from '../../../scripts/failover/machine.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { openPlace, PLACE_KINDS, type ReplicaPlace } from '../../_helpers/replica-places.ts';
import { Till, TillProcess } from '../../_helpers/till.ts';
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

function restoreArguments(backup: string, from: string, dataDir: string): string[] {
  // Few addresses ahead: the next start derives and watches each of them.
  return [backup, '--nothing-revoked', '--from-replica', from, '--data-dir', dataDir, '--look-ahead', '5'];
}

/** All waits of daemons and commands are a fifth as long. */
const SHORT_CLOCK = { NODE_OPTIONS: `--import=${import.meta.resolve('../../_helpers/short-clock.ts')}` };

/** Starts a daemon that is expected to refuse. */
async function refusal(dataDir: string, more: Record<string, string> = {}): Promise<string> {
  const till = await TillProcess.spawn({ ...env, ...more }, dataDir);
  const { code } = await till.ended();
  expect(code).not.toBe(0);
  return till.output;
}

describe.each(PLACE_KINDS)('two machines with a replica on %s', (kind) => {
  let place: ReplicaPlace;
  beforeEach(async () => {
    place = await openPlace(kind);
    env = { ...env, ...SHORT_CLOCK, ...place.env, TILLD_REPLICA_URL: place.url };
  });
  afterEach(async () => place.end());

  it('stop the old machine when the other takes over, and the old one does not start again', async () => {
    const first = await Machine.start({ ...env, TILLD_LOG_LEVEL: 'trace' }, join(dir, 'first'));
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
    const restore = restoreArguments(backup, place.url, dataDir);
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
    expect(await refusal(dataDir)).toContain('run tillctl promote first');
    expect(await runTool('promote', ['--other-machine-off', '--data-dir', dataDir], { env })).toMatchObject({
      code: 0,
    });
    // The confirmation was wrong: the first machine detects the takeover.
    const { code } = await first.till.ended();
    expect(code).toBe(2);
    expect(await first.refusal()).toContain('another machine has taken over (epoch 2, this one has 1)');
    // Not even the operator's word starts it.
    expect(await refusal(first.dataDir, { TILLD_OTHER_MACHINE_OFF: 'on' })).toContain(
      'another machine has taken over',
    );
    const second = await Machine.start(env, dataDir);
    await second.replicated();
    const found = await second.till.api.call('GET', `/payment/get?paymentId=${payment.id}`, {
      token: shop.secretKey,
    });
    expect(found.status).toBe(200);
    for (const secret of place.secrets) {
      expect(first.output + second.output).not.toContain(secret);
      expect(commandLines()).not.toContain(secret);
    }
    expect(readableByOthers(dir)).toEqual([]);
    await first.powerOff();
    await second.powerOff();
  });

  it('require a confirmation of the operator to start when the replica does not show which machine is active', async () => {
    const machine = await Machine.start(env, join(dir, 'first'));
    await machine.replicated();
    await machine.powerOff();
    // An empty folder in place of an absent mount shows no other machine, and not this one either.
    await place.leave();
    expect(await refusal(machine.dataDir)).toContain('TILLD_OTHER_MACHINE_OFF=on');
    const trusted = await TillProcess.start({ ...env, TILLD_OTHER_MACHINE_OFF: 'on' }, machine.dataDir);
    await trusted.end();
  });
});

it('a takeover without confirmation of the operator completes once the running machine has stopped', async () => {
  env = { ...env, ...SHORT_CLOCK };
  const first = await Machine.start(env, join(dir, 'first'));
  await first.replicated();
  const backup = await keyringOf(first);
  const dataDir = join(dir, 'second');
  const restored = await runTool('restore', restoreArguments(backup, replica, dataDir), { env });
  expect(restored).toMatchObject({ code: 0 });
  const ends: string[] = [];
  const [stopped, promoted] = await Promise.all([
    first.till.ended().finally(() => ends.push('the first machine stopped')),
    runTool('promote', ['--data-dir', dataDir], { env }).finally(() => ends.push('the second may start')),
  ]);
  expect(stopped).toMatchObject({ code: 2 });
  expect(promoted).toMatchObject({ code: 0, stderr: expect.stringContaining('Waiting 45 s') });
  expect(ends).toEqual(['the first machine stopped', 'the second may start']);
  const second = await Machine.start(env, dataDir);
  await second.replicated();
  await first.powerOff();
  await second.powerOff();
});

describe('an unusable replica URL', () => {
  it('is rejected with the scheme sftp://, with an error that suggests sshfs and hides the password', async () => {
    const sftp = 'sftp://user:hunter2@host/folder';
    const said = await refusal(join(dir, 'first'), { TILLD_REPLICA_URL: sftp });
    expect(said).toContain('TILLD_REPLICA_URL');
    expect(said).toContain('mount that folder with sshfs');
    const args = [join(dir, 'any.backup'), '--from-replica', sftp, '--data-dir', join(dir, 'second')];
    const restored = await runTool('restore', args, { env: { ...env, TILLD_REPLICA_URL: '' } });
    expect(restored.code).not.toBe(0);
    expect(restored.stderr).toMatch(/^--from-replica .*mount that folder with sshfs/m);
    expect(said + restored.stderr).not.toContain('hunter2');
  });

  it('is rejected when the S3 server refuses the credentials, with an error that hides them', async () => {
    const place = await openPlace('an S3 server');
    try {
      const wrong = 'a-secret-of-another-bucket';
      const settings = { ...place.env, LITESTREAM_SECRET_ACCESS_KEY: wrong, TILLD_REPLICA_URL: place.url };
      const said = await refusal(join(dir, 'first'), { ...settings, TILLD_LOG_LEVEL: 'trace' });
      expect(said).toContain('SignatureDoesNotMatch');
      expect(said).not.toContain(wrong);
    } finally {
      await place.end();
    }
  });

  it('is rejected for an S3 server without credentials, naming their settings', async () => {
    const place = await openPlace('an S3 server');
    try {
      const { LITESTREAM_SECRET_ACCESS_KEY: _secret, ...settings } = place.env;
      const said = await refusal(join(dir, 'first'), { ...settings, TILLD_REPLICA_URL: place.url });
      expect(said).toContain('set LITESTREAM_ACCESS_KEY_ID and LITESTREAM_SECRET_ACCESS_KEY');
      expect(said).not.toContain('TILLD_OTHER_MACHINE_OFF');
    } finally {
      await place.end();
    }
  });

  it('is rejected when the replica belongs to another database', async () => {
    const machine = await Machine.start(env, join(dir, 'first'));
    await machine.replicated();
    expect(await refusal(join(dir, 'stranger'))).toContain('holds the replica of another database');
    await machine.powerOff();
  });

  it('causes a warning while nothing is replicated to it', async () => {
    await using till = await Till.start({ ...env, TILLD_REPLICA_MAX_LAG: '30s' }, {}, join(dir, 'first'));
    const warnings = async () => {
      const { body } = await till.api.call('GET', '/readyz');
      return (body.data as { warnings: string[] }).warnings;
    };
    expect(await warnings()).toEqual([]);
    till.clock.advance(30_000);
    await eventually('a warning', warnings, ([warning = '']) =>
      /^the replica is \d+ seconds behind: the replica holds nothing of this machine$/.test(warning),
    );
  });
});

/** Of every process of this machine. */
function commandLines(): string {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.map((id) => readIfThere(`/proc/${id}/cmdline`)).join('\n');
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readableByOthers(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return paths.filter((path) => basename(path) !== 'keyring.backup' && (statSync(path).mode & 0o077) !== 0);
}

function readPayments(dataDir: string): string[] {
  const sqlite = new Sqlite(join(dataDir, 'tilld.sqlite'), { readonly: true });
  try {
    return sqlite.prepare('SELECT id FROM payments').pluck().all() as string[];
  } finally {
    sqlite.close();
  }
}
