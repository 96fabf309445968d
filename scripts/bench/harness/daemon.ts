import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../../../test/_helpers/api-client.ts';
import { freePort } from '../../../test/_helpers/nodes/proc.ts';
import { startNode, type Child } from './child.ts';
import type { Bench } from './question.ts';

/** The built daemon, started as in production. */
export interface Daemon extends Child {
  readonly process: ChildProcess;
  readonly url: string;
  readonly api: ApiClient;
  readonly dataDir: string;
  /** From the start of the process to the first 200 of /readyz, ms. */
  readonly readyMs: number;
}

export interface DaemonOptions {
  /** An existing data directory; a new one by default. */
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Options of node itself, such as --cpu-prof. */
  readonly nodeArgs?: readonly string[];
}

const READY_LIMIT_MS = 120_000;

/** Starts dist/main.js (built by npm run bench) as scripts/start does and waits for /readyz. By default the sandbox. */
export async function startDaemon(bench: Bench, options: DaemonOptions = {}): Promise<Daemon> {
  const dataDir = options.dataDir ?? bench.newDir();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const nodeArgs = [...productionArgs(), ...(options.nodeArgs ?? profiling())];
  const child = startNode(bench, [...nodeArgs, 'dist/main.js'], {
    TILLD_CONFIG: 'config/sandbox.yaml',
    TILLD_DATA_DIR: dataDir,
    TILLD_PORT: String(port),
    TILLD_AUTH_RATE_PER_MINUTE: '0',
    TILLD_PUBLIC_RATE_PER_MINUTE: '0',
    TILLD_RATES: 'fixed:BTC=100000,LTC=100,ETH=4000,SOL=200',
    ...options.env,
  });
  while ((await statusOf(`${url}/readyz`)) !== 200) {
    if (child.process.exitCode !== null) throw new Error(`the daemon exited: ${child.output()}`);
    if (performance.now() - started > READY_LIMIT_MS)
      throw new Error(`the daemon did not become ready: ${child.output()}`);
    await sleep(5);
  }
  return { ...child, url, api: new ApiClient(url), dataDir, readyMs: performance.now() - started };
}

/** The Node options of scripts/start. */
export function productionArgs(): readonly string[] {
  const script = readFileSync(new URL('../../start', import.meta.url), 'utf8');
  const args = /^exec node (.*) "\$BUILD\/main\.js"/m.exec(script)?.[1];
  if (args === undefined) throw new Error('scripts/start has no line that starts node');
  return args.split(' ');
}

/** BENCH_PROFILE=DIR writes a .cpuprofile of each daemon there. */
export function profiling(): string[] {
  const dir = process.env['BENCH_PROFILE'];
  return dir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${dir}`];
}

async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
