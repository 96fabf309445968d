import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runScript } from '../../_helpers/script.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'tilld-threads-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** As where a container's pids limit is reached: whoever asks for a thread gets an error at once. */
const NO_THREADS = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*', '--allow-addons'];

test('without a thread, commits empty the write-ahead log themselves', async () => {
  const { code, stdout, stderr } = await runScript(
    `
    import { statSync } from 'node:fs';
        import { writeMeta } from 'src/store/meta.ts';
    import { openDatabase } from 'src/store/sqlite/open.ts';
    const path = ${JSON.stringify(join(dir, 'till.sqlite'))};
    const log = (_fields, message) => console.log(message);
    const { db, close } = await openDatabase(path, { logger: { warn: log, error: log }, checkpointsAside: true });
    for (let n = 0; n < 3; n += 1) {
      await db.transaction((tx) => writeMeta(tx, 'text-' + n, 'x'.repeat(20_000_000)));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    console.log(statSync(path).size, statSync(path + '-wal').size);
    await close();
  `,
    NO_THREADS,
  );
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  const [line, sizes, ...others] = stdout.trim().split('\n');
  // An operator is told once, not at every commit.
  expect(line).toContain('commits do it from now on');
  expect(others).toEqual([]);
  const [file = 0, log = Infinity] = (sizes ?? '').split(' ').map(Number);
  expect(file).toBeGreaterThan(30_000_000);
  expect(log).toBeLessThan(50_000_000);
});
