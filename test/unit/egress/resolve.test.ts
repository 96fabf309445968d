import { expect, it } from 'vitest';
import { hostResolver } from '../../../src/egress/resolve.ts';

/** Nobody answers there: as if DNS did not have the name. */
const NO_DNS = ['127.0.0.1:9'];

it('names that DNS does not have hold no more than half of the threads, however long they take', async () => {
  const asked: string[] = [];
  const answers = Promise.withResolvers<void>();
  const resolve = hostResolver(NO_DNS, async (hostname) => {
    asked.push(hostname);
    await answers.promise;
    return ['192.0.2.1'];
  });
  const given = new AbortController();
  const slow = Array.from({ length: 5 }, (_, at) => resolve(`slow-${at}.test`, new AbortController().signal));
  const left = resolve('given-up.test', given.signal);
  await expect.poll(() => asked.length).toBe(2);
  // Time for any other that would be asked beside them.
  for (let turns = 0; turns < 200; turns += 1) await new Promise((next) => void setImmediate(next));
  expect(asked).toHaveLength(2);
  given.abort();
  answers.resolve();
  expect(await Promise.all(slow)).toEqual(slow.map(() => ['192.0.2.1']));
  // Whoever gave up meanwhile needs no thread any more.
  await expect(left).rejects.toThrow();
  expect(asked).not.toContain('given-up.test');
});
