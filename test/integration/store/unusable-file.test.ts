import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';

const dir = mkdtempSync(join(tmpdir(), 'tilld-unusable-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('openDatabase throws an error with a remedy for a file that is not a database', async () => {
  const path = join(dir, 'tilld.sqlite');
  writeFileSync(path, 'not a database at all, but long enough to be looked at'.repeat(100));
  await expect(openDatabase(path)).rejects.toThrow(
    `cannot use the database ${path}: file is not a database; restore the latest backup into a new data directory`,
  );
});

test('openDatabase throws an error with the reason for a database with damaged pages', async () => {
  const path = join(dir, 'damaged.sqlite');
  await (await openDatabase(path)).close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(statSync(path).size - 4096, 7), 0, undefined, 4096);
  closeSync(file);
  await expect(openDatabase(path)).rejects.toThrow(
    /^cannot use the database .*damaged\.sqlite: .*malformed.*; restore the latest backup/,
  );
});
