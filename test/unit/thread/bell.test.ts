import { afterEach, expect, it, vi } from 'vitest';
import { Bell, BellEar } from '../../../src/thread/bell.ts';
import { eventually } from '../../_helpers/poll.ts';

afterEach(() => void vi.restoreAllMocks());

const STEPS = ['load', 'store', 'notify', 'waitAsync'] as const;

/** Has something happen before one of the steps that a thread takes in shared memory: what another one does may fall in anywhere. */
function beforeStep(step: number, happens: () => void): { readonly hasHappened: () => boolean } {
  let taken = 0;
  const hasHappened = (): boolean => taken > step;
  for (const name of STEPS) {
    const original = Atomics[name] as (...args: unknown[]) => unknown;
    vi.spyOn(Atomics, name).mockImplementation(((...args: unknown[]) => {
      taken += 1;
      if (taken === step + 1) happens();
      return original(...args);
    }) as never);
  }
  return { hasHappened };
}

/** More steps than any of both ever takes. */
const ALL_STEPS = 12;

it('is heard at whichever step towards sleep it is rung, once for each time', async () => {
  let rungs = 0;
  for (let step = 0; step < ALL_STEPS; step += 1) {
    const bell = new Bell();
    const heard: number[] = [];
    const ear = new BellEar(bell.words, (order) => {
      heard.push(order);
      ear.done(order);
    });
    const { hasHappened } = beforeStep(step, () => bell.ring());
    ear.listen();
    const hasRung = hasHappened();
    vi.restoreAllMocks();
    if (hasRung) {
      rungs += 1;
      await eventually(
        `a ring at step ${step}`,
        () => heard,
        ({ length }) => length > 0,
        2_000,
      );
    }
    // It sleeps, and hears the next one, too.
    bell.ring();
    await eventually(
      `a ring after one at step ${step}`,
      () => bell.isDone,
      (isDone) => isDone,
      2_000,
    );
    expect(heard).toEqual(hasRung ? [1, 2] : [1]);
    ear.close();
  }
  expect(rungs).toBeGreaterThan(1);
});

it('tells at least one of both threads that an order is done, at whichever step of the one the other begins', () => {
  const sides = ['the one that waits', 'the one that is done'] as const;
  for (const first of sides) {
    for (let step = 0; step < ALL_STEPS; step += 1) {
      const bell = new Bell();
      const ear = new BellEar(bell.words, () => undefined);
      bell.ring();
      let [waits, answers] = [false, false];
      const wait = (): void => void (waits = bell.awaitDone());
      const be = (): void => void (answers = ear.done(1));
      const [work, other] = first === 'the one that waits' ? [wait, be] : [be, wait];
      const { hasHappened } = beforeStep(step, other);
      work();
      const isBetween = hasHappened();
      vi.restoreAllMocks();
      if (!isBetween) other();
      expect(!waits || answers, `${first}, step ${step}`).toBe(true);
    }
  }
});

it('is heard no more once it is closed, and keeps nobody waiting', async () => {
  const bell = new Bell();
  const heard: number[] = [];
  const ear = new BellEar(bell.words, (order) => heard.push(order));
  const waits = vi.spyOn(Atomics, 'waitAsync');
  ear.listen();
  const [wait] = waits.mock.results.map(({ value }) => value as { value: Promise<string> });
  ear.close();
  expect(await wait?.value).toBe('ok');
  bell.ring();
  await new Promise((resolve) => void setImmediate(resolve));
  expect(heard).toEqual([]);
  expect(waits).toHaveBeenCalledTimes(1);
});
