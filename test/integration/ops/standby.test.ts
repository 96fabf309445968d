import { once } from 'node:events';
import {
  existsSync,
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
import { setTimeout as pause } from 'node:timers/promises';
import { compressFrameSync } from 'lz4-napi';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReplicaError } from '../../../src/replica/litestream-process.ts';
import { restoreGeneration, readGenerations, whileReplicating } from '../../../src/replica/litestream.ts';
import { withEpochMarker } from '../../../src/replica/epoch-marker.ts';
import { beginCopy, catchUp, catchUpWhole } from '../../../src/replica/standby/follow.ts';
import { openReplicaFiles } from '../../../src/replica/standby/open-files.ts';
import type { ReplicaFiles } from '../../../src/replica/standby/replica-files.ts';
import { standBy } from '../../../src/replica/standby/stand-by.ts';
import { BrokenWalError, StandbyCopy } from '../../../src/replica/standby/standby-copy.ts';
import { STANDBY_FOLDER, standbyIn } from '../../../src/replica/standby/take-standby.ts';
import { parseSegmentName, segmentName } from '../../../src/replica/standby/wal.ts';
import { eventually } from '../../_helpers/poll.ts';
import { openPlace, PLACE_KINDS, type PlaceKind, type ReplicaPlace } from '../../_helpers/replica-places.ts';
import { ReplicatedDatabase, rowsIn, sha256Of, targetOf } from '../../_helpers/replicated-database.ts';
import { runTool, startTool } from '../../_helpers/tool.ts';

/** More than one log of 16 MB. */
const TWO_LOGS = 120;
const CREDENTIALS = ['LITESTREAM_ACCESS_KEY_ID', 'LITESTREAM_SECRET_ACCESS_KEY'];

let dir: string;
let place: ReplicaPlace;
let first: ReplicatedDatabase;
let files: ReplicaFiles;
let copy: StandbyCopy;

async function open(kind: PlaceKind): Promise<void> {
  dir = mkdtempSync(join(tmpdir(), 'till-standby-'));
  place = await openPlace(kind);
  for (const name of CREDENTIALS) if (place.env[name] !== undefined) process.env[name] = place.env[name];
  first = new ReplicatedDatabase(targetOf(place));
  files = await openReplicaFiles(first.target);
  copy = StandbyCopy.open(dir);
}

afterEach(async () => {
  for (const name of CREDENTIALS) delete process.env[name];
  files.close();
  first.close();
  await place.end();
  rmSync(dir, { recursive: true, force: true });
});

function walFolder(): string {
  const generations = join(place.url, 'epoch-1', 'generations');
  const [name = ''] = readdirSync(generations);
  return join(generations, name, 'wal');
}

/** Names of the WAL segments in the replica, in order. */
function segments(): string[] {
  return readdirSync(walFolder())
    .filter((name) => parseSegmentName(name) !== undefined)
    .toSorted();
}

/** A replica of several logs, each of several segments, and a copy that is at its beginning. */
async function manyPieces(): Promise<void> {
  await first.replicating(async () => {
    await beginCopy(first.target, { files, copy });
    for (let round = 0; round < 8; round += 1) {
      const before = segments().length;
      first.write(TWO_LOGS / 4);
      await eventually(
        'another segment',
        () => segments().length,
        (count) => count > before,
        30_000,
      );
    }
  });
  expect(new Set(segments().map((name) => name.slice(0, 8))).size).toBeGreaterThan(1);
}

function isBegun(folder: string): boolean {
  return existsSync(join(folder, 'position.json'));
}

/** The database as Litestream itself restores it. */
async function restored(epoch = 1): Promise<string> {
  const path = join(dir, `restored-${Math.random()}.sqlite`);
  const [newest] = (await readGenerations(first.target, epoch)).found;
  await restoreGeneration(first.target, { epoch, generation: newest?.name ?? '' }, path);
  return path;
}

async function finished(of = copy): Promise<string> {
  await catchUpWhole({ files, copy: of, isLive: true });
  const path = join(dir, `finished-${Math.random()}.sqlite`);
  of.finish(path);
  return path;
}

describe.each(PLACE_KINDS)('a copy that follows a replica on %s', (kind) => {
  beforeEach(async () => open(kind));

  it('is in the end, byte for byte, what Litestream restores', async () => {
    await first.replicating(async () => {
      first.write(TWO_LOGS);
      // Refused while the newest segment is being uploaded, which this S3 server shows.
      await eventually(
        'a beginning',
        async () => {
          await beginCopy(first.target, { files, copy }).catch((error: unknown) => {
            if (!(error instanceof ReplicaError)) throw error;
          });
          return copy.generation;
        },
        (generation) => generation !== null,
        60_000,
      );
      const begun = copy.next.index;
      for (let round = 0; round < 4; round += 1) {
        first.write(TWO_LOGS / 2);
        await eventually(
          'something new',
          () => catchUp({ files, copy, isLive: true }),
          (taken) => taken > 0,
          30_000,
        );
      }
      await eventually(
        'another log',
        async () => {
          first.write(1);
          await catchUp({ files, copy, isLive: true });
          return copy.next.index;
        },
        (index) => index > begun,
        60_000,
      );
    });
    const [theirs, ours] = [await restored(), await finished()];
    expect(rowsIn(ours)).toBeGreaterThan(3 * TWO_LOGS);
    expect(sha256Of(ours)).toBe(sha256Of(theirs));
  });

  it('says that there is nothing where nothing is', async () => {
    await expect(beginCopy(first.target, { files, copy })).rejects.toThrow('the place holds no replica');
    expect(await files.read('epoch-1/generations/none')).toBeNull();
    expect(await files.list('epoch-1/generations')).toEqual([]);
  });
});

describe('a copy that follows a replica in a folder', () => {
  beforeEach(async () => open('a folder'));

  it('goes on after kill -9 at any moment', async () => {
    const env = { TILLD_REPLICA_URL: place.url, TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator' };
    const standby = join(dir, STANDBY_FOLDER);
    await first.replicating(async () => {
      for (let round = 0; round < 8; round += 1) {
        const { child, done } = startTool('standby', ['--data-dir', dir], { env });
        const writing = setInterval(() => first.write(20), 100);
        try {
          await eventually('a copy', () => isBegun(standby), Boolean, 60_000);
          await pause(200 + Math.random() * 2_500);
        } finally {
          clearInterval(writing);
        }
        child.kill('SIGKILL');
        await done;
      }
    });
    const path = join(dir, 'taken.sqlite');
    const warnings: string[] = [];
    const [newest] = (await readGenerations(first.target, 1)).found;
    const generation = { epoch: 1, generation: newest?.name ?? '' };
    const standing = standbyIn(dir, first.target, (line) => warnings.push(line));
    expect(await standing?.take(generation, path)).toBe(true);
    expect(warnings).toEqual([]);
    expect(sha256Of(path)).toBe(sha256Of(await restored()));
    // What it was has become the database.
    expect(isBegun(standby)).toBe(false);
  });

  it('does not pass over a segment that is missing, in the middle of a log or at its beginning', async () => {
    await manyPieces();
    const names = segments();
    const [inner, begins] = [
      names.findIndex((name) => !name.includes('_00000000')),
      names.findLastIndex((name) => name.includes('_00000000')),
    ];
    for (const at of [inner, begins]) {
      const name = names[at] ?? '';
      renameSync(join(walFolder(), name), join(dir, 'aside'));
      const other = StandbyCopy.open(dir);
      await expect(catchUpWhole({ files, copy: other, isLive: true })).rejects.toThrow(BrokenWalError);
      renameSync(join(dir, 'aside'), join(walFolder(), name));
      other.discard();
      copy = StandbyCopy.open(dir);
      await beginCopy(first.target, { files, copy });
    }
  });

  it('waits for a segment that is not complete, or damaged, and takes it when it is whole', async () => {
    await manyPieces();
    const name = segments().findLast((each) => !each.includes('_00000000')) ?? '';
    const path = join(walFolder(), name);
    const whole = readFileSync(path);
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(whole.length >> 1) ^ 0x10, whole.length >> 1);
    const refused = `${name} of the replica is damaged or not complete`;
    writeFileSync(path, flipped);
    await expect(catchUpWhole({ files, copy, isLive: true })).rejects.toThrow(refused);
    for (const length of [10, whole.length >> 1, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, length));
      // The last one of all may be one that is being written.
      const isLast = name === segments().at(-1);
      const catching = catchUpWhole({ files, copy, isLive: true });
      await (isLast ? expect(catching).resolves.toBe(false) : expect(catching).rejects.toThrow(refused));
    }
    writeFileSync(path, whole);
    expect(sha256Of(await finished())).toBe(sha256Of(await restored()));
  });

  it('takes all but a last segment that was cut off, which Litestream cannot pass over', async () => {
    await manyPieces();
    await catchUpWhole({ files, copy, isLive: true });
    const before = await restored();
    const path = join(walFolder(), segmentName(copy.next));
    writeFileSync(path, compressFrameSync(readFileSync(join(dir, 'pending.wal'))).subarray(0, -20));
    await expect(restored()).rejects.toThrow();
    expect(await catchUpWhole({ files, copy, isLive: false })).toBe(false);
    expect(sha256Of(await finished())).toBe(sha256Of(before));
  });

  it('waits for a last segment that is still being written, keeps the copy meanwhile, and takes it when it is whole', async () => {
    await manyPieces();
    const last = join(walFolder(), segments().at(-1) ?? '');
    const whole = readFileSync(last);
    const theirs = sha256Of(await restored());
    const standby = join(dir, STANDBY_FOLDER);
    mkdirSync(standby);
    rmSync(last);
    await beginCopy(first.target, { files, copy: StandbyCopy.open(standby) });
    let bytes = 20;
    const upload = (): void => writeFileSync(last, whole.subarray(0, (bytes += 1)));
    upload();
    const warnings: string[] = [];
    const [newest] = (await readGenerations(first.target, 1)).found;
    const generation = { epoch: 1, generation: newest?.name ?? '' };
    const path = join(dir, 'taken.sqlite');
    const standing = standbyIn(dir, first.target, (line) => warnings.push(line), 25);
    const uploading = setInterval(upload, 5);
    try {
      await expect(standing?.take(generation, path)).rejects.toThrow('still being written: restore again');
    } finally {
      clearInterval(uploading);
    }
    expect([isBegun(standby), existsSync(path)]).toEqual([true, false]);
    const taking = standing?.take(generation, path);
    writeFileSync(last, whole);
    expect(await taking).toBe(true);
    expect(warnings).toEqual([]);
    expect(sha256Of(path)).toBe(theirs);
    standing?.end();
  });

  it('takes a segment that became whole between two reads, and waits for one that is listed and not given', async () => {
    await manyPieces();
    const name = segments().at(-1) ?? '';
    const through = (read: ReplicaFiles['read']): ReplicaFiles => ({
      list: async (...args) => files.list(...args),
      read: async (path) => (path.endsWith(name) ? read(path) : files.read(path)),
      close: () => undefined,
    });
    const hiding = through(async () => Promise.resolve(null));
    await expect(catchUpWhole({ files: hiding, copy, isLive: true })).rejects.toThrow(
      `lists ${name} and does not give it`,
    );
    let reads = 0;
    const whole = readFileSync(join(walFolder(), name));
    const growing = through(async (path) => ((reads += 1) === 1 ? whole.subarray(0, 50) : files.read(path)));
    expect(await catchUpWhole({ files: growing, copy, isLive: true })).toBe(true);
    expect(reads).toBeGreaterThan(1);
    expect(sha256Of(await finished())).toBe(sha256Of(await restored()));
  });

  it('takes an empty segment, as Litestream writes them at times, for nothing', async () => {
    await manyPieces();
    await catchUpWhole({ files, copy, isLive: true });
    const { next } = copy;
    const path = join(walFolder(), segmentName(next));
    // One without a byte is the beginning of an upload, which Litestream cannot restore either.
    writeFileSync(path, '');
    expect(await catchUpWhole({ files, copy, isLive: false })).toBe(false);
    writeFileSync(path, compressFrameSync(Buffer.alloc(0)));
    // One that begins then does not wait for it either.
    const other = join(dir, 'other');
    mkdirSync(other);
    const begun = StandbyCopy.open(other);
    await beginCopy(first.target, { files, copy: begun });
    for (const each of [copy, begun]) {
      expect(await catchUpWhole({ files, copy: each, isLive: false })).toBe(true);
      expect(each.next).toEqual(next);
      expect(sha256Of(await finished(each))).toBe(sha256Of(await restored()));
    }
  });

  it('is not used when the replica shows less than it has seen', async () => {
    await manyPieces();
    await catchUp({ files, copy, isLive: true });
    const last = segments().at(-1) ?? '';
    rmSync(join(walFolder(), last));
    await expect(catchUpWhole({ files, copy, isLive: true })).rejects.toThrow(`does not hold ${last}`);
    // Not either when it was ended while it wrote the last log, which it then reads anew.
    rmSync(join(dir, 'pending.wal'));
    const again = StandbyCopy.open(dir);
    expect(again.next.offset).toBe(0);
    await catchUp({ files, copy: again, isLive: true });
    expect(() => again.finish(join(dir, 'never.sqlite'))).toThrow('less than the standby copy has seen');
  });

  it('refuses a log of which SQLite would skip the end', async () => {
    await manyPieces();
    await catchUp({ files, copy, isLive: true });
    const pending = join(dir, 'pending.wal');
    const log = readFileSync(pending);
    log.writeUInt8(log.readUInt8(log.length - 5_000) ^ 1, log.length - 5_000);
    writeFileSync(pending, log);
    expect(() => copy.finish(join(dir, 'never.sqlite'))).toThrow(
      /WAL \d+ of the replica is damaged: \d+ of its \d+ pages/,
    );
  });

  it('begins anew with another generation, and stays where only the mark of a takeover is newer', async () => {
    const stopping = new AbortController();
    const lines: string[] = [];
    const standby = join(dir, 'own');
    const own = {
      target: first.target,
      dir: standby,
      signal: stopping.signal,
      tell: (line: string) => void lines.push(line),
    };
    mkdirSync(standby);
    const running = standBy(own);
    try {
      await first.replicating(async () => {
        first.write(3);
        await eventually(
          'it follows',
          () => lines,
          (told) => told.some((line) => line.startsWith('follows')),
          60_000,
        );
      });
      const [before] = (await readGenerations(first.target, 1)).found;
      await withEpochMarker(2, async (marker) =>
        whileReplicating(first.target, { epoch: 2, databasePath: marker.path }, async () => {
          await eventually(
            'the mark',
            () => readGenerations(first.target, 2),
            ({ found }) => found.length > 0,
            30_000,
          );
        }),
      );
      first.write(3);
      first.checkpoint();
      first.write(3);
      await first.replicating(async () => {
        await eventually(
          'a new generation',
          () => readGenerations(first.target, 1),
          ({ found }) => found.length > 1 && found[0]?.name !== before?.name,
          60_000,
        );
      });
      const [newest] = (await readGenerations(first.target, 1)).found;
      await eventually(
        'it follows the new one',
        () => lines,
        (told) => told.at(-1) === `follows generation ${newest?.name ?? ''} of epoch 1`,
        120_000,
      );
    } finally {
      stopping.abort();
      await running;
    }
  });
});

describe('scripts/standby', () => {
  beforeEach(async () => open('a folder'));

  it('says what is missing, and keeps off a data directory that is used', async () => {
    const said = async (env: Record<string, string>, args = ['--data-dir', dir]) =>
      runTool('standby', args, { env: { TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator', ...env } });
    expect(await said({})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('TILLD_REPLICA_URL is not set'),
    });
    writeFileSync(join(dir, 'tilld.sqlite'), '');
    expect(await said({ TILLD_REPLICA_URL: place.url })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('holds a database already'),
    });
  });

  it('says why it does not follow, goes on trying, and ends when it is told to', async () => {
    const env = { TILLD_REPLICA_URL: place.url, TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator' };
    const { child, done } = startTool('standby', ['--data-dir', dir], { env });
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => void (said += chunk.toString('utf8')));
    await eventually(
      'it says why',
      () => said,
      (text) => text.includes('the place holds no replica'),
      30_000,
    );
    await first.replicating(async () => {
      await eventually(
        'it follows',
        () => said,
        (text) => /follows generation [0-9a-f]{16} of epoch 1/.test(text),
        90_000,
      );
    });
    const second = await runTool('standby', ['--data-dir', dir], { env });
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(`(process ${child.pid})`) });
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    expect(await done).toMatchObject({ code: 0 });
  });
});
