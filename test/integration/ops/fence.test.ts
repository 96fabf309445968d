/** That a machine stops before another one, which takes over, may start: on a clock that a test moves. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { writeEpoch } from '../../../src/replica/epoch.ts';
import type { ReplicaTarget } from '../../../src/replica/litestream.ts';
import { takeOver } from '../../../src/replica/take-over.ts';
import { vetStart } from '../../../src/replica/vet-start.ts';
import { ReplicaWatch } from '../../../src/replica/watch.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { silent } from '../../_helpers/wallet-world.ts';

interface Answer {
  readonly afterMs: number;
  readonly isError: boolean;
}

/** Epochs that the place holds, and how it answers the first machine about its own epoch and the next. */
const place = vi.hoisted(() => ({ epochs: new Set<number>(), answers: new Map<number, Answer>() }));

const target = { sshKeyFile: null, knownHostsFile: null, s3Endpoint: null, s3Region: null };
const FIRST: ReplicaTarget = { ...target, url: { reveal: () => 'file:///slow' } };
const SECOND: ReplicaTarget = { ...target, url: { reveal: () => 'file:///quick' } };

vi.mock('../../../src/replica/litestream.ts', async () => {
  const { ReplicaError } = await import('../../../src/replica/litestream-process.ts');
  return {
    readGenerations: async ({ url }: ReplicaTarget, epoch: number) => {
      const count = place.epochs.has(epoch) ? 1 : 0;
      const answer = url.reveal().endsWith('slow') ? place.answers.get(epoch) : undefined;
      if (answer !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.afterMs));
      if (answer?.isError === true) throw new ReplicaError('no answer');
      return { count, newestAt: null };
    },
    whileReplicating: async <T>(_: ReplicaTarget, { epoch }: { epoch: number }, work: () => Promise<T>) => {
      place.epochs.add(epoch);
      return work();
    },
  };
});

let first: OpenDatabase;
let second: OpenDatabase;
const onTakenOver = vi.fn<(epoch: number) => void>();
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTakenOver.mockReset();
  place.epochs = new Set([1]);
  [first, second] = await Promise.all([openDatabase(':memory:'), openDatabase(':memory:')]);
  await writeEpoch(first.db, { number: 1, state: 'shown' });
  await writeEpoch(second.db, { number: 1, state: 'restored' });
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

async function openWatch(): Promise<ReplicaWatch> {
  const clock = { now: () => Date.now() };
  const deps = { db: first.db, target: FIRST, maxLagMs: 60_000, clock, logger: silent, onTakenOver };
  return ReplicaWatch.open(deps);
}

it.each([
  ['just after a look began', 5],
  ['in the middle of it', 7_500],
  ['as it looks at its own epoch', 20_000],
  ['as its look ends', 29_995],
])('a machine of a slow replica that is taken over %s stops in time', async (_when, afterMs) => {
  // Almost the time limit, and a process that is killed at it.
  place.answers = new Map([
    [2, { afterMs: 14_990, isError: false }],
    [1, { afterMs: 15_050, isError: true }],
  ]);
  (await openWatch()).start();
  await pass(afterMs);
  const { epoch, waitMs } = await takeOver(second.db, SECOND, 'unused');
  await pass(waitMs);
  expect(onTakenOver).toHaveBeenCalledWith(epoch);
});

it('a machine that is taken over while it starts stops in time', async () => {
  const STARTUP_MS = 5_000;
  place.answers = new Map([1, 2].map((epoch) => [epoch, { afterMs: 14_990, isError: false }]));
  const starting = (async () => {
    await vetStart(FIRST, { number: 1, state: 'shown' }, false);
    await new Promise((resolve) => setTimeout(resolve, STARTUP_MS));
    (await openWatch()).start();
  })();
  await pass(5);
  const { epoch, waitMs } = await takeOver(second.db, SECOND, 'unused');
  await pass(waitMs);
  await starting;
  expect(onTakenOver).toHaveBeenCalledWith(epoch);
});
