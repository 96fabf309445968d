import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decryptArchive } from '../../../src/backup/encrypted-archive.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till, TillProcess } from '../../_helpers/till.ts';
import { runTool, startTool } from '../../_helpers/tool.ts';

const PASSPHRASE = 'a passphrase of the operator';
const ENV = { TILLD_KEYRING_PASSPHRASE: PASSPHRASE };

describe('scripts/backup and scripts/restore', () => {
  let till: TillProcess;
  let shop: Shop;
  let dir: string;

  beforeAll(async () => {
    till = await TillProcess.start(ENV);
    shop = await Shop.open(till.api);
  });
  afterAll(() => till.end());
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'till-ops-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const backup = async (target: string, env: Record<string, string> = ENV) =>
    runTool('backup', [target, '--data-dir', till.dataDir], { env });

  it('copy a daemon under load in a consistent state, from which the restored daemon continues', async () => {
    const file = join(dir, 'one.backup');
    const before = await shop.createPayment();
    const load = { running: true };
    const created: string[] = [before.id];
    const orders = (async () => {
      while (load.running) created.push((await shop.createPayment()).id);
    })();
    const made = await backup(file);
    load.running = false;
    await orders;
    expect(made).toMatchObject({ code: 0 });
    expect(made.stdout).toContain(file);
    expect(created.length).toBeGreaterThan(5);
    const lost = await shop.api.must<{ nextAfter: number }>(
      'GET',
      '/merchant/events?after=0&type=webhook.test',
      {
        token: shop.secretKey,
      },
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['one.backup']);
    expect(existsSync(join(till.dataDir, 'backup.tmp'))).toBe(false);

    const target = join(dir, 'restored');
    expect(await restore(file, target)).toMatchObject({ code: 0 });
    await using restored = await Till.start(ENV, {}, target);
    const again = (id: string) =>
      restored.api.call('GET', `/payment/get?paymentId=${id}`, { token: shop.secretKey });
    expect((await again(before.id)).body.data).toMatchObject({
      options: before.options,
      status: 'pending',
    });
    const answers = await Promise.all(created.map(async (id) => (await again(id)).status));
    const kept = answers.lastIndexOf(200) + 1;
    // A cursor that a shop had before the loss misses nothing of what comes now.
    const { publicKey: token, customerId } = shop;
    const body = { amount: '1', currency: 'USD', customerId, orderId: 'after the restore' };
    const fresh = await restored.api.must<{ id: string }>('POST', '/payment/create', { token, body });
    const { events } = await restored.api.must<{ events: { paymentId: string }[] }>(
      'GET',
      `/merchant/events?after=${lost.nextAfter}`,
      { token: shop.secretKey },
    );
    expect(events.map(({ paymentId }) => paymentId)).toEqual([fresh.id]);
    // A moment: everything before it is there, nothing after it.
    expect(answers).toEqual(created.map((_, at) => (at < kept ? 200 : 404)));
  });

  it('never print or contain the passphrase, the seed words or readable data', async () => {
    const file = join(dir, 'one.backup');
    await backup(file);
    const text = readFileSync(file, 'latin1');
    const { stdout: words } = await runTool('seed', ['show', '--yes', '--data-dir', till.dataDir], {
      env: ENV,
    });
    expect(words.trim().split(' ')).toHaveLength(24);
    for (const secret of [
      PASSPHRASE,
      words.trim(),
      'SQLite format',
      'ciphertext',
      shop.merchantId,
      'owner-',
    ]) {
      expect(text.includes(secret)).toBe(false);
    }
  });

  it('warn when the passphrase exists only in the data directory', async () => {
    await using own = await TillProcess.start();
    const file = join(dir, 'own.backup');
    const made = await runTool('backup', [file, '--data-dir', own.dataDir]);
    expect(made.code).toBe(0);
    expect(made.stderr).toContain('keyring-passphrase');
    const passphrase = readFileSync(join(own.dataDir, 'keyring-passphrase'), 'utf8');
    expect(made.stdout + made.stderr).not.toContain(passphrase.trim());
    const target = join(dir, 'restored');
    const args = [file, '--data-dir', target, '--passphrase-file', '-', '--look-ahead', '5'];
    expect(await runTool('restore', args, { input: passphrase })).toMatchObject({ code: 0 });
    expect(readFileSync(join(target, 'keyring-passphrase'), 'utf8')).toBe(passphrase);
    await (await Till.start({}, {}, target)).end();
  });

  it('refuse a wrong passphrase for backup and restore', async () => {
    const file = join(dir, 'one.backup');
    const other = { TILLD_KEYRING_PASSPHRASE: 'quite another passphrase' };
    expect(await backup(file, other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('passphrase'),
    });
    expect(readdirSync(dir)).toEqual([]);
    await backup(file);
    const target = join(dir, 'restored');
    const refused = await restore(file, target, other);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the passphrase does not open'),
    });
    expect(filesIn(target)).toEqual([]);
  });

  it('refuse a backup with any part changed, cut off or appended', async () => {
    const file = join(dir, 'one.backup');
    await backup(file);
    const whole = readFileSync(file);
    const headEnd = whole.indexOf('\n');
    const changes: [string, Buffer][] = [
      ['format', Buffer.from(whole.toString('latin1').replace('tilld-backup', 'tillx-backup'), 'latin1')],
      ['date', Buffer.from(whole.toString('latin1').replace(/"createdAt":"2/, '"createdAt":"1'), 'latin1')],
      ['first byte', flip(whole, headEnd + 1)],
      ['middle', flip(whole, Math.floor((headEnd + whole.length) / 2))],
      ['tag', flip(whole, whole.length - 1)],
      ['cut off', whole.subarray(0, -1)],
      ['half', whole.subarray(0, whole.length / 2)],
      ['longer', Buffer.concat([whole, Buffer.from([0])])],
      ['empty', Buffer.alloc(0)],
      ['noise', randomBytes(10_000)],
    ];
    for (const [name, bytes] of changes) {
      const source = join(dir, `${name}.backup`);
      writeFileSync(source, bytes);
      const opened = decryptArchive({ source, dir: mkdtempSync(join(dir, 'out-')), passphrase: PASSPHRASE });
      await expect(opened, name).rejects.toThrow(source);
    }
    const target = join(dir, 'restored');
    expect(await restore(join(dir, 'middle.backup'), target)).toMatchObject({ code: 1 });
    expect(filesIn(target)).toEqual([]);
  });

  it('restore only into an empty directory, and never overwrite a backup', async () => {
    const file = join(dir, 'one.backup');
    await backup(file);
    expect(await backup(file)).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') });
    const target = join(dir, 'full');
    mkdirSync(target);
    writeFileSync(join(target, 'notes.txt'), 'mine');
    expect(await restore(file, target)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not empty'),
    });
    expect(readdirSync(target)).toEqual(['notes.txt']);
    expect(await restore(file, till.dataDir)).toMatchObject({ code: 1 });
  });

  it('refuse to restore for another network than that of the backup', async () => {
    const file = join(dir, 'one.backup');
    await backup(file);
    const refused = await restore(file, join(dir, 'restored'), { ...ENV, TILLD_NETWORK: 'regtest' });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('TILLD_NETWORK') });
  });

  it('leave no incomplete file under the final name when killed at any moment, and the next run removes the rest', async () => {
    // Slow enough to be hit everywhere: deriving, copying, writing, reading back.
    const env = { ...ENV, TILLD_KEYRING_MEMORY: '64MiB', TILLD_KEYRING_ITERATIONS: '4' };
    const file = join(dir, 'one.backup');
    const seen = new Set<string>();
    for (let round = 0; round < 4; round += 1) {
      const running = startTool('backup', [file, '--data-dir', till.dataDir], { env });
      const work = join(till.dataDir, 'backup.tmp');
      // Each round waits for one more step of the work before it kills.
      const steps = [
        () => existsSync(work),
        () => existsSync(join(work, 'tilld.sqlite')),
        () => readdirSync(dir).some((name) => name.endsWith('.tmp')),
        () => existsSync(join(work, 'verify')),
      ];
      await eventually(
        'the work is under way',
        () => steps[round]!() || running.child.exitCode !== null,
        Boolean,
      );
      running.child.kill('SIGKILL');
      await running.done;
      for (const name of readdirSync(dir)) seen.add(name.endsWith('.tmp') ? 'temporary' : name);
      // Either it was finished before the kill, and is whole, or there is none.
      if (existsSync(file)) {
        const target = join(dir, `whole ${round}`);
        expect(await restore(file, target)).toMatchObject({ code: 0 });
        rmSync(target, { recursive: true });
        rmSync(file);
      }
    }
    expect(seen).toContain('temporary');
    expect(await backup(file)).toMatchObject({ code: 0 });
    expect(readdirSync(dir)).toEqual(['one.backup']);
    expect(existsSync(join(till.dataDir, 'backup.tmp'))).toBe(false);
  });

  it('refuse a second concurrent backup', async () => {
    const env = { ...ENV, TILLD_KEYRING_ITERATIONS: '40', TILLD_KEYRING_MEMORY: '64MiB' };
    const first = startTool('backup', [join(dir, 'one'), '--data-dir', till.dataDir], { env });
    await eventually('it works', () => existsSync(join(till.dataDir, 'backup.tmp')), Boolean);
    expect(await backup(join(dir, 'two'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is running'),
    });
    expect(await first.done).toMatchObject({ code: 0 });
    expect(readdirSync(dir)).toEqual(['one']);
  });

  it('allow another restore into a directory after a restore was killed', async () => {
    const file = join(dir, 'one.backup');
    await backup(file);
    const target = join(dir, 'restored');
    const running = startTool('restore', [file, '--data-dir', target, '--look-ahead', '5000'], { env: ENV });
    await eventually('it works', () => existsSync(join(target, 'restore.tmp', 'tilld.sqlite')), Boolean);
    running.child.kill('SIGKILL');
    await running.done;
    expect(existsSync(join(target, 'tilld.sqlite'))).toBe(false);
    expect(await restore(file, target)).toMatchObject({ code: 0 });
    expect(existsSync(join(target, 'restore.tmp'))).toBe(false);
  });
});

describe('scripts/seed', () => {
  let till: TillProcess;
  let words: string;
  beforeAll(async () => {
    till = await TillProcess.start(ENV);
    words = (
      await runTool('seed', ['show', '--yes', '--data-dir', till.dataDir], { env: ENV })
    ).stdout.trim();
  });
  afterAll(() => till.end());

  it('does not print the seed words without confirmation', async () => {
    const refused = await runTool('seed', ['show', '--data-dir', till.dataDir], { env: ENV });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--yes');
  });

  it('verifies seed words without printing them', async () => {
    const args = ['verify', '--words-file', '-', '--data-dir', till.dataDir];
    expect(await runTool('seed', args, { env: ENV, input: `  ${words.toUpperCase()}\n` })).toMatchObject({
      code: 0,
    });
    const swapped = words.split(' ').toReversed().join(' ');
    const wrong = await runTool('seed', args, { env: ENV, input: swapped });
    expect(wrong.code).toBe(1);
    expect(wrong.stdout + wrong.stderr).not.toContain(words.split(' ')[0]!);
  });

  it('refuses wrong words and a directory that a daemon uses', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'till-ops-'));
    const password = join(dir, 'password');
    writeFileSync(password, 'correct horse battery\n');
    const call = async (input: string, target: string) =>
      runTool(
        'seed',
        `restore --email me@example.com --words-file - --password-file ${password} --accounts 1 --gap 5 --data-dir ${target}`.split(
          ' ',
        ),
        { env: ENV, input },
      );
    expect(await call(words.replace(/^\w+/, 'tilld'), join(dir, 'a'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('word 1'),
    });
    expect(await call(words, till.dataDir)).toMatchObject({ code: 1 });
    expect(await call(words, join(dir, 'a'))).toMatchObject({ code: 0 });
    rmSync(dir, { recursive: true });
  });

  it.each([
    [['--email', 'owner@localhost'], 'an invalid email address'],
    [['--email', 'me@example.com', '--birthday', '2026-02-31'], 'a date that the calendar does not have'],
    [['--email', 'me@example.com', '--birthday', '2126-01-31'], 'a wallet birthday after received money'],
  ])('refuses to restore with %j: %s', async (args) => {
    const target = join(till.dataDir, 'restored');
    const files = ['--words-file', '-', '--password-file', '/dev/null', '--data-dir', target];
    const refused = await runTool('seed', ['restore', ...args, ...files], { env: ENV, input: words });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(args.at(-2)!) });
    expect(refused.stderr).not.toContain('password must have');
    expect(existsSync(target)).toBe(false);
  });
});

async function restore(file: string, target: string, env: Record<string, string> = ENV) {
  return runTool('restore', [file, '--nothing-revoked', '--data-dir', target, '--look-ahead', '20'], { env });
}

/** What a directory holds besides the lock that was taken on it. */
function filesIn(dir: string): string[] {
  return readdirSync(dir).filter((name) => !name.startsWith('lock'));
}

function flip(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
