import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inParallel } from '../../../src/chains/shared/in-parallel.ts';

const LIST = Array.from({ length: 25 }, (_, at) => at);

it('inParallel runs at most four requests at a time and returns the results in order', async () => {
  let running = 0;
  let most = 0;
  const answers = await inParallel(LIST, 2, async (piece) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = piece[0] ?? 0; turn < LIST.length; turn += 3) await nextTurn();
    running -= 1;
    return piece;
  });
  expect(answers.flat()).toEqual(LIST);
  expect(answers.map(({ length }) => length)).toEqual([...Array.from({ length: 12 }, () => 2), 1]);
  expect(most).toBe(4);
});

it('inParallel throws the first error and starts no further requests', async () => {
  const asked: number[] = [];
  const all = inParallel(LIST, 1, async ([item = 0]) => {
    asked.push(item);
    await nextTurn();
    if (item === 2) throw new Error('no answer');
    return item;
  });
  await expect(all).rejects.toThrow('no answer');
  const before = asked.length;
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  // Those under way when it failed may have made room for one another.
  expect(asked.length).toBe(before);
  expect(asked.length).toBeLessThan(LIST.length / 2);
});
