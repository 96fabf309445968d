import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, type App, type AppOptions } from '../../src/app/app.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/app/logger.ts';
import { ApiClient } from './api-client.ts';
import { freePort } from './nodes/proc.ts';
import { eventually } from './poll.ts';
import { inheritedEnv, programFile } from './program.ts';

/** The real clock, which a test may put forward. */
class TestClock {
  #aheadMs = 0;

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
  }
}

export type Env = Readonly<Record<string, string>>;

/** Settings every test till has: regtest, fixed rates, cheap password hashes, private webhooks. */
function baseEnv(dataDir: string, port: number): Record<string, string> {
  return {
    TILLD_CONFIG: 'test/_helpers/till.yaml',
    TILLD_DATA_DIR: dataDir,
    TILLD_PORT: String(port),
    TILLD_LOG_LEVEL: process.env['TILLD_TEST_LOG'] ?? 'silent',
  };
}

/** Settings of a till with regtest nodes. */
export function liveEnv(nodes: { BTC?: string; LTC?: string; ETH?: string; SOL?: string }): Env {
  return {
    TILLD_NETWORK: 'regtest',
    ...(nodes.BTC === undefined ? {} : { TILLD_BTC_RPC_URL: nodes.BTC }),
    ...(nodes.LTC === undefined ? {} : { TILLD_LTC_RPC_URL: nodes.LTC }),
    ...(nodes.SOL === undefined ? {} : { TILLD_SOL_RPC_URL: nodes.SOL }),
    ...(nodes.ETH === undefined ? {} : { TILLD_ETH_RPC_URL: nodes.ETH }),
  };
}

/** A till inside the test's own process: quick, and its clock can be moved. */
export class Till implements AsyncDisposable {
  readonly clock = new TestClock();
  readonly dataDir: string;
  readonly #env: Env;
  readonly #options: Partial<AppOptions>;
  readonly #port: number;
  #app: App | null = null;
  #setupToken: string | null = null;

  private constructor(dataDir: string, port: number, env: Env, options: Partial<AppOptions>) {
    this.dataDir = dataDir;
    this.#port = port;
    this.#env = env;
    this.#options = options;
  }

  static async start(env: Env = {}, options: Partial<AppOptions> = {}, dataDir = newDir()): Promise<Till> {
    const till = new Till(dataDir, await freePort(), env, options);
    await till.up();
    return till;
  }

  get api(): ApiClient {
    return new ApiClient(`http://127.0.0.1:${this.#port}`);
  }

  /** What the first account needs; null where none is needed. */
  get setupToken(): string | null {
    return this.#setupToken;
  }

  /** Starts the daemon on its data directory. */
  async up(): Promise<void> {
    const config = loadConfig({
      env: { ...baseEnv(this.dataDir, this.#port), ...this.#env },
      cwd: process.cwd(),
    });
    this.#app = await createApp({
      config,
      logger: createLogger(config.logLevel),
      clock: this.clock,
      checkAnswers: true,
      ...this.#options,
    });
    this.#setupToken = (await this.#app.start()).setupToken;
  }

  /** Stops the daemon and keeps its data. */
  async down(): Promise<void> {
    await this.#app?.stop();
    this.#app = null;
  }

  async end(): Promise<void> {
    await this.down();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /** Waits until every configured chain is followed to its tip. */
  async ready(timeoutMs = START_LIMIT_MS): Promise<void> {
    await waitReady(this.api, timeoutMs);
  }
}

/** A start takes a second or two; on a machine that does much else it may wait for its turn. */
const START_LIMIT_MS = 120_000;

/** A till in a process of its own, for kill -9. */
export class TillProcess implements AsyncDisposable {
  readonly dataDir: string;
  readonly #env: Env;
  readonly #port: number;
  readonly #program: string;
  #child: ChildProcess | null = null;
  #output = '';

  private constructor(dataDir: string, port: number, env: Env, program: string) {
    this.dataDir = dataDir;
    this.#port = port;
    this.#env = env;
    this.#program = program;
  }

  static async start(env: Env = {}, dataDir = newDir(), program = programFile()): Promise<TillProcess> {
    const till = new TillProcess(dataDir, await freePort(), env, program);
    await till.up();
    return till;
  }

  /** Starts a daemon without waiting until it answers; it may never. */
  static async spawn(env: Env, dataDir: string, program = programFile()): Promise<TillProcess> {
    const till = new TillProcess(dataDir, await freePort(), env, program);
    till.#spawn();
    return till;
  }

  get api(): ApiClient {
    return new ApiClient(`http://127.0.0.1:${this.#port}`);
  }

  /** Of the daemon, while it runs. */
  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('the daemon does not run');
    return pid;
  }

  /** Everything the daemon wrote to its outputs. */
  get output(): string {
    return this.#output;
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, [this.#program], {
      env: { ...inheritedEnv(), ...baseEnv(this.dataDir, this.#port), ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const collect = (chunk: Buffer): void => void (this.#output += chunk.toString('utf8'));
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    return child;
  }

  async up(): Promise<void> {
    const child = this.#spawn();
    await eventually(
      'the daemon answers',
      async () => {
        if (child.exitCode !== null) throw new Error(`the daemon ended (${child.exitCode}): ${this.#output}`);
        return this.api.call('GET', '/healthz').then(
          ({ status }) => status,
          () => 0,
        );
      },
      (status) => status === 200,
      START_LIMIT_MS,
    );
  }

  /** Waits until the daemon exits without a signal. */
  async ended(): Promise<{ code: number | null }> {
    const child = this.#child;
    if (child !== null && child.exitCode === null)
      await new Promise((resolve) => child.once('close', resolve));
    return { code: child?.exitCode ?? null };
  }

  /** SIGKILL: no handler runs, nothing is flushed. */
  async kill9(): Promise<void> {
    await this.#signal('SIGKILL');
  }

  /** SIGTERM, and the exit code. */
  async terminate(): Promise<number | null> {
    return this.#signal('SIGTERM');
  }

  async end(): Promise<void> {
    await this.kill9();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async ready(timeoutMs = START_LIMIT_MS): Promise<void> {
    await waitReady(this.api, timeoutMs);
  }

  async #signal(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return child?.exitCode ?? null;
    const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill(signal);
    return exited;
  }
}

function newDir(): string {
  return mkdtempSync(join(tmpdir(), 'till-'));
}

async function waitReady(api: ApiClient, timeoutMs: number): Promise<void> {
  await eventually(
    'every chain is followed',
    () => api.call('GET', '/readyz'),
    ({ status }) => status === 200,
    timeoutMs,
  );
}
