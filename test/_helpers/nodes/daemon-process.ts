/** One daemon as a child process: start, wait until it answers, stop, kill, start again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { COMMON_ARGS, DAEMONS, type NodeCoin } from './coins.ts';
import { findDaemon } from './find-daemon.ts';
import { callRpc } from './json-rpc.ts';
import { freePort, listensOn, startTime } from './proc.ts';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 30_000;
const POLL_MS = 25;
const PORT_ATTEMPTS = 5;
const PARENT_DEATH_TOOL = '/usr/bin/setpriv';

export interface DaemonOptions {
  readonly coin: NodeCoin;
  readonly dataDir: string;
  readonly extraArgs: readonly string[];
  /** Outlives this process (the CLI's nodes); otherwise the kernel kills it with its parent. */
  readonly background: boolean;
}

export class DaemonProcess {
  readonly user: string;
  readonly password: string;
  port = 0;
  private readonly options: DaemonOptions;
  private child: ChildProcess | null = null;
  private exited: Promise<void> = Promise.resolve();
  private stderr = '';

  constructor(options: DaemonOptions) {
    this.options = options;
    this.user = 'regtest';
    this.password = randomBytes(18).toString('base64url');
  }

  /** Loopback address of the RPC server, with credentials. */
  get rpcUrl(): string {
    return `http://${this.user}:${this.password}@127.0.0.1:${this.port}`;
  }

  get pid(): number {
    const pid = this.child?.pid;
    if (pid === undefined) throw new Error(`${this.options.coin} node is not running`);
    return pid;
  }

  get running(): boolean {
    return this.child !== null;
  }

  /** Starts on a free port; a later start keeps the port, the data and the credentials. */
  async start(onceArgs: readonly string[] = []): Promise<void> {
    if (this.child !== null) throw new Error(`${this.options.coin} node is running already`);
    const portIsFixed = this.port !== 0;
    for (let attempt = 1; ; attempt += 1) {
      if (!portIsFixed) this.port = await freePort();
      this.launch(onceArgs);
      try {
        await this.waitUntilReady();
        return;
      } catch (error) {
        await this.kill();
        const portTaken = /bind|address already in use/i.test(this.stderr);
        if (portIsFixed || !portTaken || attempt >= PORT_ATTEMPTS) throw error;
      }
    }
  }

  /** Asks the daemon to end and waits for it; the last resort after the deadline is SIGKILL. */
  async stop(): Promise<void> {
    const child = this.child;
    if (child === null) return;
    child.kill('SIGTERM');
    const patience = new AbortController();
    const ended = await Promise.race([
      this.exited.then(() => true),
      delay(STOP_WITHIN_MS, false, { signal: patience.signal }).catch(() => false),
    ]);
    patience.abort();
    if (!ended) await this.kill();
  }

  /** SIGKILL: what a power cut looks like to the daemon's files. */
  async kill(): Promise<void> {
    this.killNow();
    await this.exited;
  }

  /** For exit handlers, which cannot wait. */
  killNow(): void {
    this.child?.kill('SIGKILL');
  }

  /** Lets this process end while the daemon goes on. */
  release(): void {
    this.child?.unref();
  }

  private launch(onceArgs: readonly string[]): void {
    const { coin, dataDir, background } = this.options;
    const daemon = findDaemon(coin);
    if (daemon === null) {
      throw new Error(`${DAEMONS[coin].daemon} is missing: ${DAEMONS[coin].howToInstall}`);
    }
    const args = this.writeConfiguration(onceArgs);
    const tied = !background && canTieToParent();
    this.stderr = '';
    const child = spawn(
      tied ? PARENT_DEATH_TOOL : daemon,
      tied ? ['--pdeathsig', 'KILL', daemon, ...args] : args,
      {
        // Debian's litecoind script writes into HOME.
        env: { ...process.env, HOME: dataDir },
        cwd: dataDir,
        detached: background,
        stdio: ['ignore', 'ignore', background ? 'ignore' : 'pipe'],
      },
    );
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString('utf8')).slice(-4000);
    });
    this.child = child;
    this.exited = new Promise((resolve) => {
      const ended = (): void => {
        if (this.child === child) this.child = null;
        resolve();
      };
      child.once('error', (error) => {
        this.stderr += String(error);
        ended();
      });
      child.once('close', ended);
    });
  }

  /** Credentials go into a file that only this user reads, not onto the command line. */
  private writeConfiguration(onceArgs: readonly string[]): string[] {
    const { dataDir, extraArgs } = this.options;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const file = join(dataDir, 'regtest.conf');
    writeFileSync(file, `rpcuser=${this.user}\nrpcpassword=${this.password}\n`, { mode: 0o600 });
    return [
      ...COMMON_ARGS,
      `-datadir=${dataDir}`,
      `-conf=${file}`,
      `-rpcport=${this.port}`,
      ...DAEMONS[this.options.coin].args,
      ...extraArgs,
      ...onceArgs,
    ];
  }

  private async waitUntilReady(): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    let lastError: unknown = null;
    while (Date.now() < deadline) {
      if (this.child === null) throw this.startFailure('ended at once');
      try {
        await callRpc(this.rpcUrl, 'getblockchaininfo', [], POLL_MS * 40);
        if (!listensOn(this.pid, this.port)) {
          throw this.startFailure(`port ${this.port} is answered by another process`);
        }
        return;
      } catch (error) {
        if (error instanceof StartFailure) throw error;
        lastError = error; // not listening yet, or warming up
      }
      await delay(POLL_MS);
    }
    throw this.startFailure(`did not answer within ${READY_WITHIN_MS} ms: ${String(lastError)}`);
  }

  private startFailure(reason: string): StartFailure {
    const log = tail(join(this.options.dataDir, 'regtest', 'debug.log'));
    return new StartFailure(`${DAEMONS[this.options.coin].daemon} ${reason}\n${this.stderr}\n${log}`);
  }
}

class StartFailure extends Error {}

/** Whether the kernel can be asked to end the child when this process dies, however it dies. */
function canTieToParent(): boolean {
  try {
    accessSync(PARENT_DEATH_TOOL, constants.X_OK);
    return startTime(process.pid) !== null;
  } catch {
    return false;
  }
}

function tail(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(-8).join('\n');
  } catch {
    return '';
  }
}
