import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ScheduledBackups } from '../../../src/app/scheduled-backups.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till, TillProcess } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const ENV = { TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator' };
const YEARLY = '0 0 1 1 *';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'till-scheduled-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

interface Ready {
  readonly warnings: readonly string[];
  readonly backup: { readonly lastAt: string | null; readonly ageSeconds: number | null };
}

async function ready(till: { api: TillProcess['api'] }): Promise<Ready> {
  const { body } = await till.api.call('GET', '/readyz');
  return body.data as unknown as Ready;
}

/** Waits for a backup that is newer than one made at this time. */
async function backedUp(till: { api: TillProcess['api'] }, since: string | null = null): Promise<void> {
  await eventually(
    'a backup is made',
    () => ready(till),
    ({ backup }) => backup.lastAt !== null && backup.lastAt !== since,
    60_000,
  );
}

it('a scheduled backup is made at the start when there is none, can be restored, and only the newest ones are kept', async () => {
  const folder = join(dir, 'backups');
  const env = {
    ...ENV,
    TILLD_BACKUP_SCHEDULE: YEARLY,
    TILLD_BACKUP_FOLDER: folder,
    TILLD_BACKUP_KEEP: '2',
  };
  const dataDir = join(dir, 'data');
  const till = await TillProcess.start(env, dataDir);
  await backedUp(till);
  const [first = ''] = readdirSync(folder);
  expect(first).toMatch(/^tilld-scheduled-[0-9a-f]{8}-.*\.backup$/);
  expect((await ready(till)).backup.ageSeconds).toBeLessThan(600);
  expect((await ready(till)).warnings).toEqual([]);
  const restored = await runTool(
    'restore',
    [join(folder, first), '--nothing-revoked', '--data-dir', join(dir, 'restored')],
    {
      env: ENV,
    },
  );
  expect(restored).toMatchObject({ code: 0 });
  await till.terminate();

  // Older ones of its own, and what is not its own: another till's, and one made by hand.
  const prefix = first.slice(0, 'tilld-scheduled-'.length + 9);
  const others = ['tilld-2020-01-01T000000000Z.backup', 'tilld-scheduled-00000000-2020.backup'];
  for (const name of [`${prefix}2020.backup`, `${prefix}2021.backup`, ...others])
    writeFileSync(join(folder, name), '');
  utimesSync(join(dataDir, 'last-backup'), new Date(0), new Date(0));
  await till.up();
  const log = () => readdirSync(folder).filter((name) => name.startsWith(prefix));
  await eventually(
    'the oldest are removed',
    async () => log(),
    (names) => names.length === 2,
    60_000,
  );
  expect(log()).toContain(first);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(others));
  await till.end();
});

it('a scheduled backup that fails, or is overdue, causes a warning', async () => {
  const notAFolder = join(dir, 'file');
  writeFileSync(notAFolder, '');
  const till = await Till.start({
    ...ENV,
    TILLD_BACKUP_SCHEDULE: YEARLY,
    TILLD_BACKUP_FOLDER: join(notAFolder, 'backups'),
  });
  await Shop.open(till.api);
  const { warnings, backup } = await eventually(
    'the failure is told',
    () => ready(till),
    (state) => state.warnings.length > 0,
    60_000,
  );
  expect(warnings).toEqual([expect.stringMatching(/^the last scheduled backup failed: .*ENOTDIR/)]);
  expect(backup).toEqual({ lastAt: null, ageSeconds: null });
  till.clock.advance(2 * 3_600_000);
  expect((await ready(till)).warnings).toEqual([warnings[0], 'no backup has ever succeeded']);
  await till.end();

  const aged = await Till.start({ ...ENV, TILLD_BACKUP_SCHEDULE: YEARLY });
  await backedUp(aged);
  expect((await ready(aged)).warnings).toEqual([]);
  aged.clock.advance(49 * 3_600_000);
  expect((await ready(aged)).warnings).toEqual(['the newest backup is 49 hours old']);
  await aged.end();
});

it('a scheduled backup that hangs is terminated after a time limit, and the next one runs', async () => {
  const config = join(dir, 'tilld.yaml');
  const logs: object[] = [];
  const log = (fields: object): void => void logs.push(fields);
  const deps = {
    config: {
      ...loadConfig({
        env: { ...ENV, TILLD_DATA_DIR: dir, TILLD_BACKUP_SCHEDULE: YEARLY },
        cwd: process.cwd(),
      }),
      file: config,
    },
    fingerprint: '0'.repeat(64),
    clock: Date,
    logger: { debug: log, info: log, warn: log, error: log },
    limitMs: 3_000,
  };
  const backups = new ScheduledBackups(deps);
  // The pipe has no writer, so that the command waits for its configuration for ever.
  execFileSync('mkfifo', [config]);
  await backups.run();
  expect(backups.warnings()).toEqual([
    'the last scheduled backup failed: not finished after 3 seconds; ended',
  ]);
  rmSync(config);
  deps.limitMs = 600_000;
  await backups.run();
  expect(backups.warnings().join()).toContain('the last scheduled backup failed: ');
  expect(backups.warnings().join()).not.toContain('not finished');
  await backups.stop();
});

it('a scheduled backup reads the passphrase from the file that the YAML names', async () => {
  const [passphraseFile, config] = [join(dir, 'passphrase'), join(dir, 'tilld.yaml')];
  writeFileSync(passphraseFile, ENV.TILLD_KEYRING_PASSPHRASE);
  const yaml = readFileSync('test/_helpers/till.yaml', 'utf8');
  writeFileSync(config, yaml.replace('keyring:\n', `keyring:\n  passphraseFile: ${passphraseFile}\n`));
  const till = await TillProcess.start({ TILLD_CONFIG: config, TILLD_BACKUP_SCHEDULE: YEARLY });
  await backedUp(till);
  expect((await ready(till)).warnings).toEqual([]);
  await till.end();
});

it('a scheduled backup is not made without a schedule, and the age of a manual backup is reported', async () => {
  const till = await Till.start(ENV);
  expect((await ready(till)).backup).toEqual({ lastAt: null, ageSeconds: null });
  expect(await runTool('backup', ['--data-dir', till.dataDir], { env: ENV })).toMatchObject({ code: 0 });
  const { backup, warnings } = await ready(till);
  expect(backup.ageSeconds).toBeLessThan(600);
  expect(warnings).toEqual([]);
  expect(existsSync(join(till.dataDir, 'backups'))).toBe(true);
  await till.end();
});
