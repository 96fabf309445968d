import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runScript } from '../../_helpers/script.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'tilld-disk-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a disk read error fails the affected request, not the whole daemon', async () => {
  const { code, stdout, stderr } = await runScript(`
    import { closeSync, readdirSync, readlinkSync } from 'node:fs';
    import { setImmediate as nextTurn } from 'node:timers/promises';
    import { findEvent } from 'src/store/webhooks/events.ts';
    import { openDatabase } from 'src/store/sqlite/open.ts';
    import { outputsOfPayment } from 'src/store/ledger/outputs.ts';
    const path = ${JSON.stringify(join(dir, 'till.sqlite'))};
    await (await openDatabase(path)).close();
    const { db } = await openDatabase(path);
    await outputsOfPayment(db, 'none');
    await nextTurn();
    for (const fd of readdirSync('/proc/self/fd').map(Number)) {
      let target = '';
      try {
        target = readlinkSync('/proc/self/fd/' + fd);
      } catch {}
      if (target === path) closeSync(fd);
    }
    await findEvent(db, 'none').catch((error) => console.log(error.code));
    await nextTurn();
    await nextTurn();
    console.log('alive');
    process.exit(0);
  `);
  expect({ code, stderr, lines: stdout.trim().split('\n') }).toEqual({
    code: 0,
    stderr: '',
    lines: ['SQLITE_IOERR_READ', 'alive'],
  });
});
