/** That a machine stops before another one, which takes over, may start: on a clock that a test moves. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { writeEpoch } from '../../../src/replica/epoch.ts';
import * as litestream from '../../../src/replica/litestream.ts';
import { ReplicaError } from '../../../src/replica/litestream-process.ts';
import { takeOver } from '../../../src/replica/take-over.ts';
import { assertNotFenced } from '../../../src/replica/assert-not-fenced.ts';
import { ReplicaWatch } from '../../../src/replica/watch.ts';
import type { Timing } from '../../../src/scheduler/scheduler.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { silent } from '../../_helpers/wallet-world.ts';

interface Answer {
  readonly afterMs: number;
  readonly isError: boolean;
}

/** Generations of the epochs that the place holds, and how it answers the first machine about its own epoch and the next. */
const place = {
  epochs: new Map<number, string[]>(),
  answers: new Map<number, Answer>(),
  /** Generation of a machine that takes over at the same time, and is quicker. */
  rival: null as string | null,
};

const GENERATION = '0123456789abcdef';
const target = { s3Endpoint: null, s3Region: null };
const FIRST: litestream.ReplicaTarget = { ...target, url: { reveal: () => 'file:///slow' } };
const SECOND: litestream.ReplicaTarget = { ...target, url: { reveal: () => 'file:///quick' } };

async function readGenerations({ url }: litestream.ReplicaTarget, epoch: number) {
  const names = place.epochs.get(epoch) ?? [];
  const answer = url.reveal().endsWith('slow') ? place.answers.get(epoch) : undefined;
  if (answer !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.afterMs));
  if (answer?.isError === true) throw new ReplicaError('no answer');
  return { count: names.length, found: names.map((name) => ({ name, newestAt: 1 })) };
}

async function whileReplicating<T>(
  _: litestream.ReplicaTarget,
  job: litestream.LitestreamJob,
  work: () => Promise<T>,
): Promise<T> {
  const others = place.rival === null ? [] : [place.rival];
  place.epochs.set(job.epoch, others);
  const folder = join(dirname(job.databasePath), `.${basename(job.databasePath)}-litestream`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'generation'), `${GENERATION}\n`);
  setTimeout(() => place.epochs.set(job.epoch, [...others, GENERATION]), others.length * 1_000);
  return work();
}

const spies = [
  vi.spyOn(litestream, 'readGenerations').mockImplementation(readGenerations),
  vi.spyOn(litestream, 'whileReplicating').mockImplementation(whileReplicating),
];
afterAll(() => spies.forEach((spy) => spy.mockRestore()));

let first: OpenDatabase;
let second: OpenDatabase;
const onTakenOver = vi.fn<(epoch: number) => void>();
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTakenOver.mockReset();
  place.epochs = new Map([[1, ['1111111111111111']]]);
  place.rival = null;
  [first, second] = await Promise.all([openDatabase(':memory:'), openDatabase(':memory:')]);
  await writeEpoch(first.db, { number: 1, state: 'shown', marker: null });
  await writeEpoch(second.db, { number: 1, state: 'restored', marker: null });
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all([first.close(), second.close()]);
});

/** Lets time pass, with what the databases do meanwhile. */
async function pass(ms: number): Promise<void> {
  const STEP_MS = 50;
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    await vi.advanceTimersByTimeAsync(Math.min(STEP_MS, ms - passed));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Takes over while time passes. */
async function takingOver(): ReturnType<typeof takeOver> {
  const ending = takeOver(second.db, SECOND);
  ending.catch(() => undefined);
  await pass(200);
  return ending;
}

async function openWatch(): Promise<ReplicaWatch> {
  const clock = { now: () => Date.now() };
  const timing: Timing = {
    now: clock.now,
    elapsed: () => performance.now(),
    sleep: async (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random: () => 0,
  };
  const deps = { db: first.db, target: FIRST, maxLagMs: 60_000, clock, timing, logger: silent, onTakenOver };
  return ReplicaWatch.open(deps);
}

it.each([
  ['just after a check began', 5],
  ['in the middle of a check', 7_500],
  ['while it reads its fencing epoch', 20_000],
  ['as a check ends', 29_995],
])('a machine with a slow replica stops in time when another takes over %s', async (_when, afterMs) => {
  // Almost the time limit, and a process that is killed at it.
  place.answers = new Map([
    [2, { afterMs: 14_990, isError: false }],
    [1, { afterMs: 15_050, isError: true }],
  ]);
  (await openWatch()).start();
  await pass(afterMs);
  const { epoch, waitMs } = await takingOver();
  await pass(waitMs);
  expect(onTakenOver).toHaveBeenCalledWith(epoch.number);
});

it('a machine stops in time when another takes over during its start', async () => {
  const STARTUP_MS = 5_000;
  place.answers = new Map([1, 2].map((epoch) => [epoch, { afterMs: 14_990, isError: false }]));
  const starting = (async () => {
    await assertNotFenced(FIRST, { number: 1, state: 'shown', marker: null }, false);
    await new Promise((resolve) => setTimeout(resolve, STARTUP_MS));
    (await openWatch()).start();
  })();
  await pass(5);
  const { epoch, waitMs } = await takingOver();
  await pass(waitMs);
  await starting;
  expect(onTakenOver).toHaveBeenCalledWith(epoch.number);
});

it('a takeover fails when another machine writes its takeover marker at the same time', async () => {
  place.rival = '2222222222222222';
  const ending = expect(takeOver(second.db, SECOND)).rejects.toThrow(
    'another machine is taking over at the same time',
  );
  await pass(1_500);
  await ending;
});
