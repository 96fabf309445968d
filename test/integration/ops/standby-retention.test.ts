/** What Litestream deletes while a standby is off, and what a place loses: a copy that lacks it is never used. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { litestreamConfig, readGenerations, restoreGeneration } from '../../../src/replica/litestream.ts';
import { litestreamProgram } from '../../../src/replica/litestream-process.ts';
import { beginCopy, catchUp, catchUpWhole } from '../../../src/replica/standby/follow.ts';
import { unpackFrame } from '../../../src/replica/standby/lz4-frame.ts';
import { openReplicaFiles } from '../../../src/replica/standby/open-files.ts';
import type { ReplicaFiles } from '../../../src/replica/standby/replica-files.ts';
import { standBy } from '../../../src/replica/standby/stand-by.ts';
import { BrokenWalError, StandbyCopy } from '../../../src/replica/standby/standby-copy.ts';
import { STANDBY_FOLDER, standbyIn } from '../../../src/replica/standby/take-standby.ts';
import { parseSegmentName, segmentName, walName } from '../../../src/replica/standby/wal.ts';
import { eventually } from '../../_helpers/poll.ts';
import { openPlace, type ReplicaPlace } from '../../_helpers/replica-places.ts';
import { ReplicatedDatabase, sha256Of, targetOf } from '../../_helpers/replicated-database.ts';

let dataDir: string;
let dir: string;
let place: ReplicaPlace;
let first: ReplicatedDatabase;
let files: ReplicaFiles;
let copy: StandbyCopy;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'till-retention-'));
  dir = join(dataDir, STANDBY_FOLDER);
  mkdirSync(dir);
  place = await openPlace('a folder');
  first = new ReplicatedDatabase(targetOf(place));
  files = await openReplicaFiles(first.target);
  copy = StandbyCopy.open(dir);
});
afterEach(async () => {
  first.close();
  await place.end();
  rmSync(dataDir, { recursive: true, force: true });
});

function generationFolder(): string {
  const generations = join(place.url, 'epoch-1', 'generations');
  return join(generations, readdirSync(generations)[0] ?? '');
}

function segments(): string[] {
  const names = readdirSync(join(generationFolder(), 'wal'));
  return names.filter((name) => parseSegmentName(name) !== undefined).toSorted();
}

function lastLog(): number {
  return parseSegmentName(segments().at(-1) ?? '')?.index ?? -1;
}

const CHANGES = 10;

/** Changes rows in place, as in a shop whose database hardly grows. */
function changeRows(): void {
  const sqlite = new Sqlite(first.path);
  try {
    sqlite.pragma('wal_autocheckpoint = 0');
    for (let n = 0; n < CHANGES; n += 1)
      sqlite.prepare('UPDATE t SET bytes = ? WHERE id = ?').run(randomBytes(100_000), 1 + (n % 20));
  } finally {
    sqlite.close();
  }
}

/** Changes rows and waits until that is in the replica. */
async function change(): Promise<void> {
  const before = segments().length;
  changeRows();
  await eventually(
    'another segment',
    () => segments().length,
    (count) => count > before,
    30_000,
  );
}

async function changeUntilNextLog(): Promise<void> {
  const before = lastLog();
  while (lastLog() === before) await change();
}

/** Litestream goes on with the same generation under other settings, until its log says something. */
async function litestream(settings: Record<string, string>, until: string): Promise<void> {
  const job = { epoch: 1, databasePath: first.path };
  const config = JSON.parse(litestreamConfig(first.target, first.target.url.reveal(), job)) as {
    dbs: [{ replicas: [Record<string, string>] }];
  };
  const [replica] = config.dbs[0].replicas;
  delete replica['snapshot-interval'];
  Object.assign(replica, settings);
  const path = join(dataDir, 'litestream.json');
  writeFileSync(path, JSON.stringify(config));
  const child = spawn(litestreamProgram(), ['replicate', '-config', path], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => void (log += String(text)));
  await eventually(
    until,
    () => log,
    (text) => text.includes(until),
    60_000,
  );
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** The copy stops in the middle of a log, of which more comes; the next one begins, and retention deletes the first. */
async function offForDays(last: () => void | Promise<void> = () => undefined): Promise<void> {
  first.write(20);
  await first.replicating(async () => {
    await beginCopy(first.target, { files, copy });
    await change();
    await catchUpWhole({ files, copy, isLive: true });
    await last();
    await change();
    await changeUntilNextLog();
  });
  await litestream({ retention: '3s', 'retention-check-interval': '1s' }, 'wal segmented deleted before');
}

async function newest(): Promise<{ epoch: number; generation: string }> {
  const [found] = (await readGenerations(first.target, 1)).found;
  return { epoch: 1, generation: found?.name ?? '' };
}

/** As scripts/restore takes the copy. @returns its path; null when it is refused */
async function taken(): Promise<string | null> {
  const path = join(dataDir, `taken-${Math.random()}`);
  const standby = standbyIn(dataDir, first.target, () => undefined);
  const isTaken = await standby?.take(await newest(), path);
  standby?.end();
  return isTaken === true ? path : null;
}

async function restored(): Promise<string> {
  const path = join(dataDir, `restored-${Math.random()}`);
  await restoreGeneration(first.target, await newest(), path);
  return path;
}

it('refuses a copy whose log was deleted before the rest of it came, also the second time', async () => {
  await offForDays();
  const position = readFileSync(join(dir, 'position.json'), 'utf8');
  await expect(catchUpWhole({ files, copy, isLive: false })).rejects.toThrow(BrokenWalError);
  expect(readFileSync(join(dir, 'position.json'), 'utf8')).toBe(position);
  expect(await taken()).toBeNull();
  expect(await taken()).toBeNull();
});

it('does not follow past a deleted log between two looks', async () => {
  await offForDays();
  await expect(catchUp({ files, copy, isLive: true })).rejects.toThrow(BrokenWalError);
  expect(await taken()).toBeNull();
});

it('refuses a part of a deleted log that kill -9 left', async () => {
  await offForDays(async () => {
    await change();
    await catchUp({ files, copy, isLive: true });
    // Killed while it wrote the log into the file, and once more after the first segment of it came anew.
    rmSync(join(dir, 'pending.wal'));
    const again = StandbyCopy.open(dir);
    const name = segments().find((each) => each.startsWith(walName(again.next.index))) ?? '';
    const segment = await unpackFrame(readFileSync(join(generationFolder(), 'wal', name)));
    expect(segment).toBeInstanceOf(Buffer);
    again.append(segment as Buffer);
  });
  expect(await taken()).toBeNull();
});

it('begins anew by itself when it finds its log deleted, wherever it was ended', async () => {
  await offForDays(() => rmSync(join(dir, 'pending.wal')));
  const lines: string[] = [];
  const stopping = new AbortController();
  const tell = (line: string): void => void lines.push(line);
  const running = standBy({ target: first.target, dir, signal: stopping.signal, tell });
  await eventually(
    'it follows',
    () => lines,
    (told) => told.at(-1)?.startsWith('follows') === true,
    60_000,
  );
  stopping.abort();
  await running;
  expect(lines.join('\n')).toMatch(/^does not follow the replica: .*\nrestores the newest database/);
  const path = await taken();
  expect(sha256Of(path ?? '')).toBe(sha256Of(await restored()));
});

it('refuses to go by logs of which the end is lost, where Litestream would go by a newer snapshot', async () => {
  await first.replicating(async () => {
    first.write(20);
    await beginCopy(first.target, { files, copy });
    await change();
    await catchUpWhole({ files, copy, isLive: true });
    const at = copy.next;
    await changeUntilNextLog();
    const lost = segments().filter((name) => {
      const segment = parseSegmentName(name);
      return segment?.index === at.index && segment.offset >= at.offset;
    });
    expect(lost.length).toBeGreaterThan(0);
    for (const name of lost) rmSync(join(generationFolder(), 'wal', name));
  });
  await litestream({ 'snapshot-interval': '2s' }, 'snapshot written');
  expect(await taken()).toBeNull();
});

it('takes no empty place for a whole one, when the copy began without a log', async () => {
  first.write(20);
  const early = join(dataDir, 'early');
  await first.replicating(async () => {
    cpSync(place.url, early, { recursive: true });
    const [name = ''] = readdirSync(join(early, 'epoch-1', 'generations'));
    rmSync(join(early, 'epoch-1', 'generations', name, 'wal'), { recursive: true, force: true });
    const target = { ...first.target, url: { reveal: () => `file://${early}` } };
    await beginCopy(target, { files: await openReplicaFiles(target), copy });
    await change();
  });
  expect(copy.needs).toBeNull();
  const generation = await newest();
  renameSync(place.url, `${place.url}-gone`);
  const standby = standbyIn(dataDir, first.target, () => undefined);
  expect(await standby?.take(generation, join(dataDir, 'taken'))).toBe(false);
  renameSync(`${place.url}-gone`, place.url);
});

it('refuses to go on where a segment was lost and written anew, and longer, by the same name', async () => {
  first.write(20);
  await first.replicating(async () => {
    await beginCopy(first.target, { files, copy });
    await change();
    await catchUpWhole({ files, copy, isLive: true });
  });
  const { last } = copy;
  const lost = segments().at(-1) ?? '';
  expect(lost).toBe(segmentName(last ?? { index: -1, offset: 0 }));
  rmSync(join(generationFolder(), 'wal', lost));
  // What the first machine does before Litestream goes on is in the same segment then.
  changeRows();
  // Litestream goes on at the end of the segment before it.
  await first.replicating(async () => {
    await eventually(
      'it is written anew',
      () => segments().at(-1),
      (name) => name === lost,
      30_000,
    );
    await changeUntilNextLog();
  });
  const again = readFileSync(join(generationFolder(), 'wal', lost));
  expect(((await unpackFrame(again)) as Buffer).length).toBeGreaterThan(last?.length ?? 0);
  const following = { files, copy, isLive: false };
  await expect(catchUpWhole(following)).rejects.toThrow(`${lost} of the replica is not what it was`);
  expect(await taken()).toBeNull();
});
