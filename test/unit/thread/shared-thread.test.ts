import { afterEach, describe, expect, it } from 'vitest';
import type { LineEnd, SharedThread, ThreadLine } from '../../../src/thread/shared-thread.ts';
import { eventually } from '../../_helpers/poll.ts';
import { threadThat } from '../../_helpers/thread-that.ts';

const SERVICES = `{
  count(from) { let n = from; return { serve(more) { n += more; return n; } }; },
  hang() { return { serve() { for (;;); } }; },
  fail() { return { serve() { throw new Error('out of paper'); } }; },
  end(file) { return { serve() { process.exit(3); } }; },
  tell(words) { return { serve() {}, end() { Atomics.store(words, 0, 1); } }; },
  // Longer than anybody is patient who waits at a line that is being closed.
  sleep() { return { serve(ms) { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms); return 'awake'; } }; },
}`;

/** A line, and what was heard on it. */
class Line<Order = unknown> {
  readonly answers: unknown[] = [];
  readonly ends: LineEnd[] = [];
  readonly line: ThreadLine<Order>;

  constructor(thread: SharedThread, service: string, data: unknown = null) {
    this.line = thread.open<Order, unknown>(service, data, {
      answered: (answer) => this.answers.push(answer),
      ended: (end) => this.ends.push(end),
    });
    lines.push(this.line);
  }

  async heard(count: number): Promise<unknown[]> {
    return eventually(
      'answers',
      () => this.answers,
      ({ length }) => length >= count,
    );
  }

  async ended(): Promise<LineEnd> {
    await eventually(
      'the end',
      () => this.ends,
      ({ length }) => length > 0,
    );
    expect(this.ends).toHaveLength(1);
    return this.ends[0] as LineEnd;
  }

  async served(): Promise<void> {
    await eventually(
      'the thread to be at it',
      () => this.line.isServed,
      (isServed) => isServed,
    );
  }
}

let lines: ThreadLine<unknown>[] = [];
afterEach(async () => {
  await Promise.all(lines.map(async (line) => line.giveUp(new Error('the test is over'))));
  lines = [];
});

describe('a thread that several share', () => {
  it('serves each line in turn, with what it was opened with', async () => {
    const thread = threadThat(SERVICES);
    const [ten, hundred] = [new Line<number>(thread, 'count', 10), new Line<number>(thread, 'count', 100)];
    for (const more of [1, 2, 3]) {
      ten.line.order(more);
      hundred.line.order(more);
    }
    expect(await ten.heard(3)).toEqual([11, 13, 16]);
    expect(await hundred.heard(3)).toEqual([101, 103, 106]);
    expect(ten.line.isServed).toBe(false);
  });

  it('says whose order it is at, and is ended for all by whoever finds that it hangs, who is to blame', async () => {
    const thread = threadThat(SERVICES);
    const [lost, other] = [new Line(thread, 'hang'), new Line<number>(thread, 'count', 0)];
    lost.line.order('now');
    other.line.order(1);
    await lost.served();
    expect(other.line.isServed).toBe(false);
    await lost.line.giveUp(new Error('it hangs'));
    expect(await lost.ended()).toEqual({ error: new Error('it hangs'), isToBlame: true });
    expect(await other.ended()).toEqual({ error: new Error('it hangs'), isToBlame: false });
    expect(lost.line.isServed).toBe(false);
    // Another one can be had at once, and what was ordered of the first is not done in it.
    const next = new Line<number>(thread, 'count', 7);
    next.line.order(1);
    expect(await next.heard(1)).toEqual([8]);
    expect(other.answers).toEqual([]);
  });

  it.each([
    ['fails', 'fail', 'Error: out of paper'],
    ['ends', 'end', 'Error: the thread ended with code 3'],
  ])(
    'is over for all when it %s, and only the line whose order it was at is to blame',
    async (_, service, error) => {
      const thread = threadThat(SERVICES);
      const [bad, other] = [new Line(thread, service), new Line<number>(thread, 'count', 0)];
      bad.line.order('now');
      other.line.order(1);
      const [end, others] = [await bad.ended(), await other.ended()];
      expect([String(end.error), end.isToBlame]).toEqual([error, true]);
      expect([String(others.error), others.isToBlame]).toEqual([error, false]);
    },
  );

  it('blames everybody for a program that cannot be run', async () => {
    const thread = threadThat('nothing at all');
    const both = [new Line(thread, 'count', 1), new Line(thread, 'count', 2)];
    for (const line of both) expect(await line.ended()).toMatchObject({ isToBlame: true });
  });

  it('does what was ordered before a line is closed, says nothing more on it, and lets its service put things away', async () => {
    const thread = threadThat(SERVICES);
    const words = new Int32Array(new SharedArrayBuffer(4));
    const stays = new Line<number>(thread, 'count', 0);
    const [counts, tells] = [new Line<number>(thread, 'count', 0), new Line(thread, 'tell', words)];
    counts.line.order(1);
    await Promise.all([counts.line.close(), tells.line.close(), tells.line.close()]);
    expect(Atomics.load(words, 0)).toBe(1);
    expect(counts.answers).toEqual([]);
    stays.line.order(5);
    expect(await stays.heard(1)).toEqual([5]);
    for (const { ends } of [counts, tells, stays]) expect(ends).toEqual([]);
  });

  it('is closed in good time though it is lost in what another one ordered, but not while it is at one’s own', async () => {
    const thread = threadThat(SERVICES, 100);
    const [lost, other] = [new Line(thread, 'hang'), new Line<number>(thread, 'count', 0)];
    lost.line.order('now');
    await lost.served();
    await other.line.close();
    expect(await lost.ended()).toEqual({ error: new Error('the thread hangs'), isToBlame: true });
    const patient = threadThat(SERVICES, 100);
    const sleeper = new Line<number>(patient, 'sleep');
    const beside = new Line(patient, 'count', 0);
    sleeper.line.order(500);
    await sleeper.served();
    await sleeper.line.close();
    expect(beside.ends).toEqual([]);
  });

  it('ends with its last line, and keeps no process from ending but while it is held', async () => {
    const thread = threadThat(SERVICES);
    const first = new Line<number>(thread, 'count', 0);
    await first.line.close();
    const second = new Line<number>(thread, 'count', 1);
    second.line.hold();
    second.line.order(1);
    expect(await second.heard(1)).toEqual([2]);
    second.line.letGo();
    await second.line.close();
    await second.line.close();
    expect(second.ends).toEqual([]);
  });
});
