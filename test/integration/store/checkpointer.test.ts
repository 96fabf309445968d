import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Checkpointer, WORTHWHILE_PAGES } from '../../../src/store/checkpointer.ts';
import { inTransaction } from '../../../src/store/database.ts';
import { writeMeta } from '../../../src/store/meta.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/open.ts';
import { SharedThread } from '../../../src/thread/shared-thread.ts';
import { eventually } from '../../_helpers/poll.ts';
import { threadThat } from '../../_helpers/thread-that.ts';

let dir: string;
let database: OpenDatabase;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-checkpoint-'));
  database = await openDatabase(join(dir, 'till.sqlite'), { thread: new SharedThread() });
});
afterEach(() => rmSync(dir, { recursive: true }));

const MB = 1_000_000;
const size = (name: string) => statSync(join(dir, name)).size;

async function write(key: string, bytes: number): Promise<void> {
  await inTransaction(database.db, (tx) => writeMeta(tx, key, 'x'.repeat(bytes)));
}

it('moves what was written into the database file by itself, so that the log starts anew', async () => {
  const beside = new Database(join(dir, 'till.sqlite'));
  const pagesLeft = () => {
    const [found] = beside.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[];
    return (found?.log ?? 0) - (found?.checkpointed ?? 0);
  };
  for (let n = 0; n < 3; n += 1) {
    await write(`text-${n}`, 20 * MB);
    await eventually('a checkpoint', pagesLeft, (left) => left === 0);
  }
  expect(size('till.sqlite')).toBeGreaterThan(60 * MB);
  expect(size('till.sqlite-wal')).toBeLessThan(50 * MB);
  beside.close();
  await database.close();
});

it('looks once more at what was written while its thread was at work', async () => {
  let looks = 0;
  const failures: unknown[] = [];
  const checkpointer = new Checkpointer({
    path: join(dir, 'till.sqlite'),
    pagesWaiting: () => {
      looks += 1;
      // Written as soon as the thread is asked, whatever it finds.
      if (looks === 1) queueMicrotask(() => checkpointer.written());
      return looks === 1 ? WORTHWHILE_PAGES : 0;
    },
    onFailure: (error) => failures.push(error),
    onRecovery: () => undefined,
    thread: new SharedThread(),
  });
  checkpointer.written();
  await eventually(
    'a second look',
    () => looks,
    (found) => found > 1,
  );
  await checkpointer.close();
  await database.close();
  expect(failures).toEqual([]);
});

const broken = "{ copyLog() { return { serve() { throw new Error('no disk'); } }; } }";
const idle =
  '{ copyLog() { return { serve() { return { pagesLeft: 0 }; } }; }, other() { return { serve() { for (;;); } }; } }';

/** Which thread is had next. */
function oneAfterTheOther(threads: SharedThread[]): SharedThread {
  const open = (...args: Parameters<SharedThread['open']>) => {
    const [next = new SharedThread()] = threads.splice(0, 1);
    return next.open(...args);
  };
  return { open } as unknown as SharedThread;
}

it('leaves the log to commits while its thread fails, and takes it back from them with the next that works', async () => {
  const told: string[] = [];
  const checkpointer = new Checkpointer({
    path: join(dir, 'till.sqlite'),
    thread: oneAfterTheOther([threadThat(broken), threadThat(broken)]),
    pagesWaiting: () => WORTHWHILE_PAGES,
    onFailure: (error) => told.push(String(error)),
    onRecovery: () => told.push('works again'),
    restMs: 20,
  });
  await eventually(
    'a thread that works',
    () => {
      checkpointer.written();
      return told.length;
    },
    (times) => times === 2,
  );
  await checkpointer.close();
  await database.close();
  // Two in a row that fail are told of once.
  expect(told).toEqual(['Error: no disk', 'works again']);
});

it('goes on with another thread at once when its own was ended for what others ordered', async () => {
  const failures: unknown[] = [];
  const shared = threadThat(idle);
  let looks = 0;
  const checkpointer = new Checkpointer({
    path: join(dir, 'till.sqlite'),
    thread: oneAfterTheOther([shared]),
    pagesWaiting: () => (looks += 1) && WORTHWHILE_PAGES,
    onFailure: (error) => failures.push(error),
    onRecovery: () => undefined,
  });
  const lost = shared.open('other', null, { answered: () => undefined, ended: () => undefined });
  lost.order('hang');
  await eventually(
    'the thread to hang',
    () => lost.isServed,
    (isServed) => isServed,
  );
  checkpointer.written();
  await eventually(
    'an order that waits behind it',
    () => looks,
    (times) => times === 1,
  );
  await lost.giveUp(new Error('it hangs'));
  await eventually(
    'another look, with another thread',
    () => looks,
    (times) => times > 1,
  );
  await checkpointer.close();
  await database.close();
  expect(failures).toEqual([]);
});

it('loses nothing when it is closed in the middle of it', async () => {
  await write('first', 20 * MB);
  const empty = size('till.sqlite');
  await eventually(
    'a checkpoint',
    () => size('till.sqlite'),
    (bytes) => bytes > empty,
  );
  await write('second', 20 * MB);
  await database.close();
  const copy = new Database(join(dir, 'till.sqlite'), { readonly: true });
  const lengths = copy.prepare("SELECT length(value) FROM meta WHERE key IN ('first', 'second')").pluck();
  expect(lengths.all()).toEqual([20 * MB, 20 * MB]);
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
  copy.close();
});
