/** Starts private regtest nodes and ends exactly those. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DAEMONS, type NodeCoin } from './coins.ts';
import { DaemonProcess } from './daemon-process.ts';
import { fundMiner } from './funding.ts';
import { NodeHandle } from './node-handle.ts';
import { createTempDir, removeTempDir } from './temp-dirs.ts';

export interface StartOptions {
  /** Gives the miner 60 spendable coins on a chain of about 125 blocks; true by default. */
  readonly funded?: boolean;
  /** Manual pruning with tiny block files (bitcoind only: litecoind 0.21 has no -fastprune). */
  readonly pruned?: boolean;
  /** More command line flags, kept over restarts. */
  readonly extraArgs?: readonly string[];
}

export interface LitecoinStartOptions extends StartOptions {
  /** Activates MWEB (a chain of 432 blocks). */
  readonly mweb?: boolean;
}

export interface RestartOptions {
  /**
   * Forgets the mempool and does not broadcast the miner's own transactions again: the way to
   * make any unconfirmed transaction vanish.
   */
  readonly dropMempool?: boolean;
  /** Flags for this run only. */
  readonly args?: readonly string[];
}

/** A node that belongs to this process. Also usable as `await using node = await startBitcoind()`. */
export class RegtestNode extends NodeHandle implements AsyncDisposable {
  private readonly daemon: DaemonProcess;
  private readonly onExit: () => void;

  constructor(daemon: DaemonProcess, coin: NodeCoin, dataDir: string, mweb: boolean) {
    super({ coin, dataDir, mweb, rpcUrl: daemon.rpcUrl, pid: daemon.pid });
    this.daemon = daemon;
    this.onExit = () => {
      daemon.killNow();
      removeTempDir(dataDir);
    };
    process.once('exit', this.onExit);
  }

  override get rpcUrl(): string {
    return this.daemon.rpcUrl;
  }

  override get pid(): number {
    return this.daemon.pid;
  }

  get running(): boolean {
    return this.daemon.running;
  }

  /** Ends the daemon and removes its data. Calling it again does nothing. */
  async stop(): Promise<void> {
    await this.daemon.stop();
    process.off('exit', this.onExit);
    removeTempDir(this.dataDir);
  }

  /** Ends the daemon but keeps its data, for a later `restart` (an outage). */
  async shutDown(): Promise<void> {
    await this.daemon.stop();
  }

  /** SIGKILL, data kept: a crash. */
  async kill9(): Promise<void> {
    await this.daemon.kill();
  }

  /** Starts again (after stopping if need be): same data, port and credentials. */
  async restart(options: RestartOptions = {}): Promise<void> {
    await this.daemon.stop();
    const args = [...(options.args ?? [])];
    if (options.dropMempool === true) {
      rmSync(join(this.dataDir, 'regtest', 'mempool.dat'), { force: true });
      args.push('-walletbroadcast=0');
    }
    await this.daemon.start(args);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** A private bitcoind on a free loopback port. */
export async function startBitcoind(options: StartOptions = {}): Promise<RegtestNode> {
  return startNode('BTC', options);
}

/** A private litecoind on a free loopback port. */
export async function startLitecoind(options: LitecoinStartOptions = {}): Promise<RegtestNode> {
  if (options.pruned === true) throw new Error('litecoind 0.21 cannot prune a regtest chain');
  return startNode('LTC', options);
}

/** The one or the other, for tests that run on both. */
export async function startNode(coin: NodeCoin, options: LitecoinStartOptions = {}): Promise<RegtestNode> {
  const mweb = options.mweb === true;
  const dataDir = createTempDir();
  const daemon = new DaemonProcess({
    coin,
    dataDir,
    background: false,
    extraArgs: [
      ...(mweb ? [] : DAEMONS[coin].withoutMweb),
      ...(options.pruned === true ? ['-prune=1', '-fastprune'] : []),
      ...(options.extraArgs ?? []),
    ],
  });
  try {
    await daemon.start();
  } catch (error) {
    removeTempDir(dataDir);
    throw error;
  }
  const node = new RegtestNode(daemon, coin, dataDir, mweb);
  try {
    if (options.funded !== false) await fundMiner(node);
  } catch (error) {
    await node.stop();
    throw error;
  }
  return node;
}
