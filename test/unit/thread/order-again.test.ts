import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { LineEnd, SharedThread, ThreadLine } from '../../../src/thread/shared-thread.ts';
import { eventually } from '../../_helpers/poll.ts';
import { runScript } from '../../_helpers/script.ts';
import { threadThat } from '../../_helpers/thread-that.ts';

const SERVICES = `{
  // Everything that was served so far; what is ordered again is the same object.
  log() { const all = []; let last; return { serve(order) { all.push(order === last ? 'again' : order.name); last = order; return [...all]; } }; },
  tally(words) { return { serve() { Atomics.add(words, 0, 1); return 'counted'; } }; },
  failSecond() { let n = 0; return { serve() { n += 1; if (n > 1) throw new Error('out of ink'); } }; },
  hangSecond() { let n = 0; return { serve() { n += 1; while (n > 1); } }; },
  sleep() { return { serve(ms) { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms); return 'awake'; } }; },
  untilTold() { return { serve(words) { Atomics.wait(words, 0, 0); } }; },
}`;

/** A line whose answers can be waited for, one after the other. */
class Line<Order = unknown, Answer = unknown> {
  readonly ends: LineEnd[] = [];
  readonly line: ThreadLine<Order>;
  readonly answers: Answer[] = [];
  readonly #events = new EventTarget();

  constructor(thread: SharedThread, service: string, data: unknown = null) {
    this.line = thread.open<Order, Answer>(service, data, {
      answered: (answer) => {
        this.answers.push(answer);
        this.#events.dispatchEvent(new Event('heard'));
      },
      ended: (end) => this.ends.push(end),
    });
    lines.push(this.line);
  }

  async heard(count: number): Promise<Answer> {
    while (this.answers.length < count) await once(this.#events, 'heard');
    return this.answers[count - 1] as Answer;
  }

  /** Orders for the first time. */
  async order(order: Order): Promise<void> {
    this.line.order(order);
    await this.heard(this.answers.length + 1);
  }

  /** As whoever must wait does. */
  async done(): Promise<void> {
    const before = this.answers.length;
    if (this.line.awaitDone()) await this.heard(before + 1);
    expect(this.line.isDone).toBe(true);
  }

  async ended(): Promise<LineEnd> {
    await eventually(
      'the end',
      () => this.ends,
      ({ length }) => length > 0,
    );
    return this.ends[0] as LineEnd;
  }
}

let lines: ThreadLine<unknown>[] = [];
afterEach(async () => {
  await Promise.all(lines.map(async (line) => line.giveUp(new Error('the test is over'))));
  lines = [];
});

/** So that what one thread does falls in ever other moments of what the other one does. */
function spin(turns: number): void {
  for (let at = 0; at < turns; at += 1) Atomics.load(new Int32Array(1), 0);
}

describe('an order that is given again', () => {
  it('is served like the one before, and answered only when somebody waits for it', async () => {
    const log = new Line<{ name: string }, string[]>(threadThat(SERVICES), 'log');
    await log.order({ name: 'first' });
    const { line } = log;
    expect([line.isDone, line.awaitDone()]).toEqual([true, false]);
    line.again();
    await eventually(
      'the thread to be done',
      () => line.isDone,
      (isDone) => isDone,
    );
    line.order({ name: 'second' });
    // Had the one before been answered, that would have come first.
    expect(await log.heard(2)).toEqual(['first', 'again', 'second']);
    expect(line.isDone).toBe(true);
  });

  it('is never missed: of thousands in a row each is served once, whenever it comes and however it is waited for', async () => {
    const words = new Int32Array(new SharedArrayBuffer(4));
    const tally = new Line(threadThat(SERVICES), 'tally', words);
    await tally.order('count');
    const TIMES = 6_000;
    for (let time = 1; time <= TIMES; time += 1) {
      tally.line.again();
      spin((time * 7) % 101);
      if (time % 3 === 0) await tally.done();
      // It falls asleep meanwhile, or it does not.
      else while (!tally.line.isDone) if (time % 3 === 1) await turn();
      expect(Atomics.load(words, 0)).toBe(time + 1);
      if (time % 50 === 0) await turn();
    }
    // Of those that were waited for, some were answered, and none twice.
    expect(tally.answers.length).toBeLessThanOrEqual(TIMES / 3 + 1);
    expect(tally.ends).toEqual([]);
  });

  it('is never missed while the thread is busy with what others order, and neither are their orders', async () => {
    const thread = threadThat(SERVICES);
    const words = new Int32Array(new SharedArrayBuffer(4));
    const tally = new Line(thread, 'tally', words);
    const other = new Line<number>(thread, 'sleep');
    await tally.order('count');
    const TIMES = 400;
    for (let time = 1; time <= TIMES; time += 1) {
      if (time % 2 === 0) other.line.order(time % 4 === 0 ? 1 : 0);
      tally.line.again();
      if (time % 5 === 0) other.line.order(0);
      await tally.done();
      expect(Atomics.load(words, 0)).toBe(time + 1);
    }
    await other.heard(TIMES / 2 + TIMES / 5);
    expect(other.line.isDone).toBe(true);
  });

  it('is refused while anything is still to be done, and gives way to an order that comes before the thread begins with it', async () => {
    const thread = threadThat(SERVICES);
    const log = new Line<{ name: string }, string[]>(thread, 'log');
    const busy = new Line<Int32Array>(thread, 'untilTold');
    await log.order({ name: 'first' });
    const words = new Int32Array(new SharedArrayBuffer(4));
    busy.line.order(words);
    await eventually(
      'the thread to be busy',
      () => busy.line.isServed,
      (isServed) => isServed,
    );
    log.line.again();
    expect(() => log.line.again()).toThrow('has not done what was ordered before');
    expect(log.line.isServed).toBe(false);
    log.line.order({ name: 'second' });
    expect(() => log.line.again()).toThrow('has not done what was ordered before');
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
    const served = await log.heard(2);
    // Whichever the thread saw first: it never goes back to an order after a later one.
    expect(['first,second', 'first,again,second']).toContain(served.join());
    log.line.again();
    await log.done();
    log.line.order({ name: 'third' });
    await eventually(
      'the third',
      () => log.answers.at(-1) ?? [],
      (names) => names.includes('third'),
    );
    expect(log.answers.at(-1)).toEqual([...served, 'again', 'third']);
  });

  it('is to blame when the thread fails in it, and when it hangs in it', async () => {
    for (const [service, error] of [
      ['failSecond', 'Error: out of ink'],
      ['hangSecond', 'Error: it hangs'],
    ] as const) {
      const thread = threadThat(SERVICES);
      const [bad, other] = [new Line(thread, service), new Line<number>(thread, 'sleep')];
      await bad.order('now');
      bad.line.again();
      expect(bad.line.awaitDone()).toBe(true);
      if (service === 'hangSecond') {
        await eventually(
          'the thread to be at it',
          () => bad.line.isServed,
          (isServed) => isServed,
        );
        expect(other.line.isServed).toBe(false);
        await bad.line.giveUp(new Error('it hangs'));
      }
      const [end, others] = [await bad.ended(), await other.ended()];
      expect([String(end.error), end.isToBlame]).toEqual([error, true]);
      expect([String(others.error), others.isToBlame]).toEqual([error, false]);
      expect(bad.line.isDone).toBe(false);
    }
  });

  it('does no harm to a thread that ends at that very moment, or whose line is closed', async () => {
    const words = new Int32Array(new SharedArrayBuffer(4));
    for (let time = 0; time < 15; time += 1) {
      const thread = threadThat(SERVICES);
      const [tally, stays] = [new Line(thread, 'tally', words), new Line(thread, 'tally', words)];
      await Promise.all([tally.order('count'), stays.order('count')]);
      tally.line.again();
      spin(time * 20);
      if (time % 2 === 0) {
        const ending = stays.line.giveUp(new Error('the end'));
        await ending;
        expect((await tally.ended()).isToBlame).toBe(false);
        continue;
      }
      await tally.line.close();
      const before = Atomics.load(words, 0);
      stays.line.again();
      await stays.done();
      // What is rung for on a line that was closed is nobody's any more.
      if (tally.line.isDone) tally.line.again();
      stays.line.again();
      await stays.done();
      expect(Atomics.load(words, 0)).toBe(before + 2);
      await stays.line.close();
    }
  });

  it('keeps no process from ending, whether it is served or not', async () => {
    const { code, stdout, stderr } = await runScript(`
      import { SharedThread } from 'src/thread/shared-thread.ts';
      const services = "{ tally(words) { return { serve() { Atomics.add(words, 0, 1); } }; } }";
      const { href } = new URL('src/thread/serve.ts');
      const program = 'import { serve } from ' + JSON.stringify(href) + '; serve(' + services + ');';
      const thread = new SharedThread(new URL('data:text/javascript,' + encodeURIComponent(program)));
      const words = new Int32Array(new SharedArrayBuffer(4));
      const line = thread.open('tally', words, {
        answered: () => {
          line.letGo();
          for (let time = 0; time < 100; time += 1) {
            line.again();
            while (!line.isDone);
          }
          line.again();
          console.log('rung');
        },
        ended: ({ error }) => console.log(error),
      });
      line.hold();
      line.order('count');
    `);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'rung\n', stderr: '' });
  });
});
