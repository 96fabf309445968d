import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Step, UpdateWorld } from './updates.ts';

const POLL_MS = 2;

/** Kills an update and all of its children once it has reached a step. */
export async function killUpdate(
  world: UpdateWorld,
  step: Step,
  archive: string,
  ...options: readonly string[]
): Promise<void> {
  const child = world.startUpdate(archive, ...options);
  const ended = new Promise((done) => child.once('exit', done));
  while (child.exitCode === null && !world.isReached(step)) await pause(POLL_MS);
  expect([step, child.exitCode]).toEqual([step, null]);
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
}

/** Databases of newer releases that rollbacks have kept. */
export const keptByRollbacks = (world: UpdateWorld): string[] =>
  readdirSync(world.dataDir).filter((name) => name.startsWith('tilld.sqlite.rolled-back-'));

export const isRollingBack = (world: UpdateWorld): boolean => world.journal.includes('"rolling-back"');

interface Rollback {
  readonly world: UpdateWorld;
  /** The release that it returns to. */
  readonly to: string;
  readonly output: string;
  /** Number of databases that were kept before it. */
  readonly kept: number;
}

/** What shows that a rollback has reached a step, in their order. */
const REACHED: readonly (readonly [step: string, isReached: (rollback: Rollback) => boolean])[] = [
  ['listing the loss', ({ output }) => output.includes('loses the following, created since')],
  ['stopping', ({ world }) => !world.isStarted],
  ['noting that it has begun', ({ world }) => isRollingBack(world)],
  [
    'restoring the database',
    ({ world }) => isRollingBack(world) && existsSync(join(world.dataDir, 'update.tmp/tilld.sqlite')),
  ],
  ['keeping the newer database', ({ world, kept }) => keptByRollbacks(world).length > kept],
  ['switching', ({ world, to }) => world.current === to],
  ['starting', ({ world, to }) => world.current === to && world.isStarted],
];

export const ROLLBACK_STEPS: readonly string[] = REACHED.map(([step]) => step);

/** Kills a rollback and all of its children once it has reached a step. */
export async function killRollback(world: UpdateWorld, to: string, step: string): Promise<void> {
  const [, isReached] = REACHED.find(([name]) => name === step)!;
  const kept = keptByRollbacks(world).length;
  const { child, output } = world.startRollback();
  const ended = new Promise((done) => child.once('close', done));
  while (child.exitCode === null && !isReached({ world, to, output: output(), kept })) await pause(POLL_MS);
  expect([step, child.exitCode, output()]).toEqual([step, null, expect.any(String)]);
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
}
