/** Background nodes that outlive the command that started them: what runs, and how to end it. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DAEMONS, type NodeCoin } from './coins.ts';
import { DaemonProcess } from './daemon-process.ts';
import { fundMiner } from './funding.ts';
import { MINER_WALLET, type NodeAddress, NodeHandle } from './node-handle.ts';
import { commandLine, startTime } from './proc.ts';

const STOP_WITHIN_MS = 30_000;
const POLL_MS = 50;

interface SavedNode extends NodeAddress {
  /** With the pid, names one process and no later one. */
  readonly startTime: string;
}

export class RunDirectory {
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** The node of a coin if it runs and is the process that was started here. */
  running(coin: NodeCoin): NodeHandle | null {
    const saved = this.read(coin);
    return saved !== null && isAlive(saved) ? new NodeHandle(saved) : null;
  }

  /** Starts a node in the background; chain and miner of an earlier run are used again. */
  async start(coin: NodeCoin): Promise<NodeHandle> {
    const already = this.running(coin);
    if (already !== null) return already;
    const dataDir = this.dataDir(coin);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const extraArgs = DAEMONS[coin].withoutMweb;
    const daemon = new DaemonProcess({ coin, dataDir, extraArgs, background: true });
    await daemon.start();
    try {
      const address = { coin, dataDir, rpcUrl: daemon.rpcUrl, pid: daemon.pid, mweb: false };
      this.write({ ...address, startTime: startTime(daemon.pid) ?? '' });
      const node = new NodeHandle(address);
      const wallets = await node.rpc<string[]>('listwallets');
      if (!wallets.includes(MINER_WALLET)) await fundMiner(node);
      daemon.release();
      return node;
    } catch (error) {
      await daemon.stop();
      throw error;
    }
  }

  /** Ends the node that was started here, and nothing else. False when none runs. */
  async stop(coin: NodeCoin): Promise<boolean> {
    const saved = this.read(coin);
    if (saved === null) return false;
    const alive = isAlive(saved);
    if (alive) await endProcess(saved);
    rmSync(this.stateFile(coin), { force: true });
    return alive;
  }

  /** Removes chain and wallet of a node that does not run. */
  wipe(coin: NodeCoin): void {
    if (this.running(coin) !== null) throw new Error(`the ${coin} node still runs`);
    rmSync(this.dataDir(coin), { recursive: true, force: true });
  }

  private dataDir(coin: NodeCoin): string {
    return join(this.directory, coin.toLowerCase());
  }

  private stateFile(coin: NodeCoin): string {
    return join(this.directory, `${coin.toLowerCase()}.json`);
  }

  private read(coin: NodeCoin): SavedNode | null {
    const file = this.stateFile(coin);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SavedNode) : null;
  }

  /** Holds the RPC password: for this user only, and never half written. */
  private write(saved: SavedNode): void {
    const file = this.stateFile(saved.coin);
    writeFileSync(`${file}.new`, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
}

/** Pids are used again: start time and data directory must be those that were recorded. */
function isAlive(saved: SavedNode): boolean {
  return startTime(saved.pid) === saved.startTime && commandLine(saved.pid).includes(saved.dataDir);
}

async function endProcess(saved: SavedNode): Promise<void> {
  process.kill(saved.pid, 'SIGTERM');
  const deadline = Date.now() + STOP_WITHIN_MS;
  while (isAlive(saved)) {
    if (Date.now() > deadline) process.kill(saved.pid, 'SIGKILL');
    if (Date.now() > 2 * STOP_WITHIN_MS + deadline) {
      throw new Error(`process ${saved.pid} does not end`);
    }
    await delay(POLL_MS);
  }
}
