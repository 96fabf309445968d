import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithRun } from './interrupt.ts';
import type { Bench } from './question.ts';

/** Resources used by a process so far, according to the kernel. */
export interface Usage {
  /** User and system time of all its threads, ms. */
  readonly cpuMs: number;
  readonly residentBytes: number;
}

/** A measured process. */
export interface Child {
  readonly pid: number;
  readonly usage: () => Usage;
  /** Resolves once all its threads are idle: some continue after a response, with garbage collection or compilation. */
  readonly settled: () => Promise<void>;
  /** SIGTERM, then waits for its exit; SIGKILL after 15 s. */
  readonly stop: () => Promise<void>;
  /** SIGKILL, as in a power failure. */
  readonly kill: () => void;
  /** The last 20 kB of its output. */
  readonly output: () => string;
}

/** Linux counts CPU time in ticks of 10 ms. */
const TICK_MS = 10;
const KEPT_OUTPUT = 20_000;

/** Niceness of processes that represent other machines, which must not compete with the measured one. */
export const NICE_ELSEWHERE = 10;

/**
 * Starts a script under this Node and keeps its output (of logs only the end).
 * @param nice 0 to 19, the niceness of the process and its threads
 */
export function startNode(
  bench: Bench,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  nice = 0,
): Child & { readonly process: ChildProcess } {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  endWithRun(child);
  let output = '';
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString('utf8')).slice(-KEPT_OUTPUT));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const { pid } = child;
  if (pid === undefined) throw new Error(`could not start ${args.join(' ')}`);
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    const hard = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await exited;
    clearTimeout(hard);
  };
  bench.onEnd(stop);
  if (nice > 0) setPriority(pid, nice);
  return {
    process: child,
    pid,
    usage: () => usageOf(pid),
    settled: async () => settled(pid),
    stop,
    kill: () => void child.kill('SIGKILL'),
    output: () => output,
  };
}

/** The next message of a child; its first one reports that it is ready. @throws if it exits before */
export async function nextMessage(child: ReturnType<typeof startNode>): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const ended = (code: number | null): void =>
    reject(new Error(`a child process exited (${code}): ${child.output()}`));
  child.process.once('message', resolve).once('exit', ended);
  try {
    return await promise;
  } finally {
    child.process.off('message', resolve).off('exit', ended);
  }
}

const REST_MS = 10;
/** CPU time in that interval: the cost of the polling timers. */
const REST_NS = 300_000;
const SETTLE_LIMIT_MS = 2_000;

async function settled(pid: number): Promise<void> {
  const until = performance.now() + SETTLE_LIMIT_MS;
  for (let before = ranNs(pid); performance.now() < until;) {
    await sleep(REST_MS);
    const now = ranNs(pid);
    if (now - before < REST_NS) return;
    before = now;
  }
}

/** CPU time of all threads, in nanoseconds. */
function ranNs(pid: number): number {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // It exited meanwhile.
    }
  }
  return sum;
}

function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain anything; the fields after it are fixed: utime and stime are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { cpuMs: ticks * TICK_MS, residentBytes: Number(resident) * 1024 };
}
