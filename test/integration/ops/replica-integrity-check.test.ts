/** A database that came from a replica is checked whole while the daemon serves. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Machine } from '../../../scripts/failover/machine.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

let place: string;
let dir: string;
let env: Record<string, string>;
const second = () => join(dir, 'second');
/** A database that has taken over from a dead machine; each test gets a copy of it with the same replica. */
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'till-copy-'));
  const replica = join(place, 'replica');
  env = {
    TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator',
    TILLD_REPLICA_URL: replica,
    TILLD_LOG_LEVEL: 'info',
  };
  const machine = await Machine.start(env, join(place, 'first'));
  await Shop.open(machine.till.api);
  await machine.replicated();
  const backup = join(place, 'keyring.backup');
  await runTool('backup', [backup, '--data-dir', machine.dataDir], { env });
  await machine.powerOff();
  const target = ['--data-dir', join(place, 'template')];
  const from = ['--nothing-revoked', '--from-replica', replica, '--look-ahead', '5'];
  expect(await runTool('restore', [backup, ...from, ...target], { env })).toMatchObject({ code: 0 });
  expect(await runTool('promote', ['--other-machine-off', ...target], { env })).toMatchObject({ code: 0 });
});
afterAll(() => rmSync(place, { recursive: true, force: true }));
beforeEach(() => {
  dir = mkdtempSync(join(place, 'test-'));
  cpSync(join(place, 'template'), second(), { recursive: true });
});

function inDatabase<T>(work: (sqlite: Sqlite.Database) => T): T {
  const sqlite = new Sqlite(join(second(), 'tilld.sqlite'));
  try {
    return work(sqlite);
  } finally {
    sqlite.close();
  }
}

const warnings = async (till: TillProcess): Promise<readonly string[]> =>
  ((await till.api.call('GET', '/readyz')).body.data as { warnings: string[] }).warnings;

it('a database restored from a replica gets one complete integrity check while the daemon runs', async () => {
  const till = await TillProcess.start(env, second());
  await eventually(
    'the check ends',
    () => till.output,
    (output) => output.includes('integrity check of the database from the replica passed'),
  );
  expect((await warnings(till)).join()).not.toContain('sound');
  await till.terminate();
  const again = await TillProcess.start(env, second());
  await again.ready();
  expect(again.output).not.toContain('integrity check of the database from the replica started');
  expect(await again.terminate()).toBe(0);
});

it('a database restored from a replica is reported at each start while it is damaged', async () => {
  inDatabase((sqlite) => {
    sqlite.pragma('foreign_keys = OFF');
    const merchant = sqlite.prepare('SELECT id FROM merchants').pluck().get();
    sqlite.prepare("UPDATE merchants SET user_id = 'usr_nobody' WHERE id = ?").run(merchant);
  });
  for (let start = 1; start <= 2; start += 1) {
    const till = await TillProcess.start(env, second());
    const found = await eventually(
      'a warning',
      () => warnings(till),
      (all) => all.some((warning) => warning.includes('from the replica failed')),
    );
    expect(found.join()).toMatch(/is damaged: 1 problems, rows of merchants have dangling references/);
    await till.terminate();
  }
  const checked = await runTool('check', ['--data-dir', second()], { env });
  expect(checked).toMatchObject({ code: 1, stdout: 'rows of merchants have dangling references\n' });
});

it('the integrity check of a database restored from a replica starts again after the daemon was killed during it', async () => {
  const till = await TillProcess.start(env, second());
  await till.kill9();
  inDatabase((sqlite) => sqlite.prepare("UPDATE meta SET value = 'due' WHERE key = 'copy_check'").run());
  const again = await TillProcess.start(env, second());
  await eventually(
    'the check ends',
    () => again.output,
    (output) => output.includes('integrity check of the database from the replica passed'),
  );
  await again.terminate();
});
