import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { eventually } from '../../_helpers/poll.ts';

/** A run with two children: one ends when it is asked to, the other never does. */
const RUN = `
  import { startNode } from './scripts/bench/harness/child.ts';
  import { endChildrenOnSignal } from './scripts/bench/harness/interrupt.ts';
  const bench = { onEnd() {} };
  const ready = 'setInterval(() => {}, 1000); process.send(1);';
  const children = [ready, 'process.on("SIGTERM", () => {});' + ready].map((text) =>
    startNode(bench, ['--eval', text], {}));
  await Promise.all(children.map(({ process }) => new Promise((done) => process.once('message', done))));
  endChildrenOnSignal(() => console.log('cleaned up'));
  console.log(children.map(({ pid }) => pid).join(' '));
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'a benchmark terminates all its child processes on %s, including those that ignore signals',
  async (signal, code) => {
    const run = spawn(process.execPath, ['--input-type=module-typescript', '--eval', RUN]);
    const lines = createInterface(run.stdout)[Symbol.asyncIterator]();
    const pids = String((await lines.next()).value)
      .split(' ')
      .map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    const ended = once(run, 'exit');
    run.kill(signal);
    await eventually(
      'the first ends',
      () => isAlive(pids[0] ?? 0),
      (alive) => !alive,
    );
    // Who asks twice does not wait.
    run.kill(signal);
    expect(await ended).toEqual([code, null]);
    await eventually(
      'both are gone',
      () => pids.some(isAlive),
      (alive) => !alive,
    );
    expect((await lines.next()).value).toBe('cleaned up');
  },
);
