import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { lockDataDir } from '../../../src/store/sqlite/data-dir.ts';

const root = mkdtempSync(join(tmpdir(), 'tilld-lock-'));
const children: ChildProcess[] = [];
let counter = 0;
const freshDir = () => join(root, `data-${counter++}`);

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
process.on('exit', () => rmSync(root, { recursive: true, force: true }));

/** Another process that takes the directory and stays, as a daemon would. */
async function otherDaemon(dir: string): Promise<ChildProcess> {
  const module = new URL('../../../src/store/sqlite/data-dir.ts', import.meta.url).href;
  const code = `import { lockDataDir } from ${JSON.stringify(module)};
    lockDataDir(${JSON.stringify(dir)}); console.log('held'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

test('lockDataDir creates the data directory with access for its owner only', () => {
  const dir = freshDir();
  const lock = lockDataDir(dir);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, 'lock')).mode & 0o777).toBe(0o600);
  lock.release();
});

test('lockDataDir refuses a directory that another process has locked, and names that process', async () => {
  const dir = freshDir();
  const daemon = await otherDaemon(dir);
  expect(() => lockDataDir(dir)).toThrow(`process ${daemon.pid}`);
});

test('lockDataDir locks a directory whose last owner was killed without cleaning up', async () => {
  const dir = freshDir();
  const daemon = await otherDaemon(dir);
  daemon.kill('SIGKILL');
  await once(daemon, 'exit');
  lockDataDir(dir).release();
});

test('lockDataDir can lock again after a release, and is exclusive within one process', () => {
  const dir = freshDir();
  const first = lockDataDir(dir);
  expect(() => lockDataDir(dir)).toThrow(`process ${process.pid}`);
  first.release();
  lockDataDir(dir).release();
});

test('lockDataDir creates missing parent directories, and throws the reason when it cannot', () => {
  const dir = join(freshDir(), 'deep', 'er');
  lockDataDir(dir).release();
  expect(statSync(dir).isDirectory()).toBe(true);
  expect(() => lockDataDir('/proc/tilld')).toThrow('cannot use the data directory /proc/tilld');
});

test('lockDataDir refuses a file in place of the directory, and leaves it unchanged', () => {
  const file = freshDir();
  writeFileSync(file, 'notes', { mode: 0o640 });
  const { mode } = statSync(file);
  expect(() => lockDataDir(file)).toThrow(`cannot use the data directory ${file}: not a directory`);
  expect(statSync(file).mode).toBe(mode);
});
