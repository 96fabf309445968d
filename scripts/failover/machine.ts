import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { eventually } from '../../test/_helpers/poll.ts';
import { programFile } from '../../test/_helpers/program.ts';
import { TillProcess, type Env } from '../../test/_helpers/till.ts';
import { runTool, startTool } from '../../test/_helpers/tool.ts';

interface Ready {
  readonly replica?: { readonly lagSeconds: number | null };
}

export interface TakeOver {
  readonly dataDir: string;
  readonly backup: string;
  readonly replica: string;
  /** Whether scripts/standby followed the first machine there. */
  readonly hasStandby: boolean;
}

/** A machine: a data directory with its daemon, and Litestream beside it. */
export class Machine {
  readonly dataDir: string;
  readonly till: TillProcess;
  readonly #env: Env;
  readonly #replicate: ChildProcess;
  #replicateOutput = '';

  private constructor(dataDir: string, till: TillProcess, env: Env) {
    this.dataDir = dataDir;
    this.till = till;
    this.#env = env;
    this.#replicate = startReplicating(env, dataDir);
    const collect = (chunk: Buffer): void => void (this.#replicateOutput += chunk.toString('utf8'));
    this.#replicate.stdout?.on('data', collect);
    this.#replicate.stderr?.on('data', collect);
  }

  static async start(env: Env, dataDir: string): Promise<Machine> {
    return new Machine(dataDir, await TillProcess.start(env, dataDir), env);
  }

  /**
   * Fills a data directory from the replica and the keyring of a backup, and takes over.
   * @throws when a standby kept a copy there and it was not used
   */
  static async takeOver(env: Env, { dataDir, backup, replica, hasStandby }: TakeOver): Promise<Machine> {
    const said = await must(
      'restore',
      [backup, '--nothing-revoked', '--from-replica', replica, '--data-dir', dataDir],
      env,
    );
    if (said.includes('The copy of scripts/standby was brought up to date') !== hasStandby)
      throw new Error(`the copy of the standby: ${said}`);
    await must('promote', ['--other-machine-off', '--data-dir', dataDir], env);
    return Machine.start(env, dataDir);
  }

  /** Waits until the replica shows this machine. */
  async replicated(): Promise<void> {
    await eventually(
      'the replica shows this machine',
      () => this.till.api.call('GET', '/readyz'),
      ({ body }) => typeof (body.data as Ready).replica?.lagSeconds === 'number',
      60_000,
    );
  }

  /** Everything that the daemon and Litestream wrote to their outputs. */
  get output(): string {
    return this.till.output + this.#replicateOutput;
  }

  /** Both processes at once, as when the power fails. */
  async powerOff(): Promise<void> {
    const gone = once(this.#replicate, 'exit');
    this.#replicate.kill('SIGKILL');
    await Promise.all([
      this.till.kill9(),
      this.#replicate.exitCode === null && this.#replicate.signalCode === null ? gone : null,
    ]);
  }

  /** Powers the machine on again. @returns what its daemon says while it refuses to start; null when it starts */
  async refusal(): Promise<string | null> {
    const again = await TillProcess.spawn(this.#env, this.dataDir);
    const { code } = await again.ended();
    return code === 0 || code === null ? null : again.output;
  }

  remove(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** scripts/standby on a second machine that is to take over. */
export class Standby {
  readonly #tool: ReturnType<typeof startTool>;

  private constructor(tool: ReturnType<typeof startTool>) {
    this.#tool = tool;
  }

  /** Starts it and waits until it follows the replica. */
  static async start(env: Env, dataDir: string): Promise<Standby> {
    const tool = startTool('standby', ['--data-dir', dataDir], { env });
    let said = '';
    tool.child.stdout?.on('data', (chunk: Buffer) => void (said += chunk.toString('utf8')));
    await eventually(
      'the standby follows',
      () => said,
      (text) => text.includes('follows generation'),
      60_000,
    ).catch((error: unknown) => {
      tool.child.kill('SIGKILL');
      throw error;
    });
    return new Standby(tool);
  }

  /** Stops it, in the middle of whatever it does. */
  async stop(): Promise<void> {
    this.#tool.child.kill('SIGKILL');
    await this.#tool.done;
  }
}

function startReplicating(env: Env, dataDir: string): ChildProcess {
  return spawn(process.execPath, [programFile('replicate'), '--data-dir', dataDir], {
    env: { PATH: process.env['PATH'] ?? '', TILLD_CONFIG: 'test/_helpers/till.yaml', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** @returns what it said */
async function must(tool: 'restore' | 'promote', args: readonly string[], env: Env): Promise<string> {
  const { code, stdout, stderr } = await runTool(tool, args, { env });
  if (code !== 0) throw new Error(`scripts/${tool} ended with ${code}: ${stderr}`);
  return stdout + stderr;
}
