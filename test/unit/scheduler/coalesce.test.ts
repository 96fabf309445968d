import { expect, it } from 'vitest';
import { coalesce } from '../../../src/scheduler/coalesce.ts';

it('coalesce combines all calls during a run into one next run', async () => {
  let rounds = 0;
  const first = Promise.withResolvers<void>();
  const run = coalesce(
    async () => {
      rounds += 1;
      if (rounds === 1) await first.promise;
    },
    () => undefined,
  );
  const calls = [run(), run(), run()];
  expect(rounds).toBe(1);
  first.resolve();
  await Promise.all(calls);
  expect(rounds).toBe(2);
});

it('coalesce passes the error of a run to its handler, and idle() waits for the run that follows', async () => {
  const errors: unknown[] = [];
  let rounds = 0;
  const run = coalesce(
    async () => {
      rounds += 1;
      if (rounds === 1) throw new Error('no');
    },
    (error) => errors.push(error),
  );
  void run();
  void run();
  await run.idle();
  expect([rounds, errors]).toEqual([2, [new Error('no')]]);
});
