import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { eventually } from '../../test/_helpers/poll.ts';
import { programFile } from '../../test/_helpers/program.ts';
import { TillProcess, type Env } from '../../test/_helpers/till.ts';
import { runTool } from '../../test/_helpers/tool.ts';

interface Ready {
  readonly replica?: { readonly lagSeconds: number | null };
}

export interface TakeOver {
  readonly dataDir: string;
  readonly backup: string;
  readonly replica: string;
}

/** A machine: a data directory with its daemon, and Litestream. */
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

  /** Restores a data directory from the replica and the keyring of a backup, and takes over. */
  static async takeOver(env: Env, { dataDir, backup, replica }: TakeOver): Promise<Machine> {
    const from = ['--nothing-revoked', '--from-replica', replica];
    await must('restore', [backup, ...from, '--data-dir', dataDir], env);
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

  /** All output of the daemon and Litestream. */
  get output(): string {
    return this.till.output + this.#replicateOutput;
  }

  /** Kills both processes at once, as in a power failure. */
  async powerOff(): Promise<void> {
    const gone = once(this.#replicate, 'exit');
    this.#replicate.kill('SIGKILL');
    await Promise.all([
      this.till.kill9(),
      this.#replicate.exitCode === null && this.#replicate.signalCode === null ? gone : null,
    ]);
  }

  /** Powers the machine on again. @returns the daemon's output if it refuses to start; null if it starts */
  async refusal(): Promise<string | null> {
    const again = await TillProcess.spawn(this.#env, this.dataDir);
    const { code } = await again.ended();
    return code === 0 || code === null ? null : again.output;
  }

  remove(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

function startReplicating(env: Env, dataDir: string): ChildProcess {
  return spawn(process.execPath, [programFile('replicate'), '--data-dir', dataDir], {
    env: { PATH: process.env['PATH'] ?? '', TILLD_CONFIG: 'test/_helpers/till.yaml', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function must(tool: 'restore' | 'promote', args: readonly string[], env: Env): Promise<void> {
  const { code, stderr } = await runTool(tool, args, { env });
  if (code !== 0) throw new Error(`scripts/${tool} ended with ${code}: ${stderr}`);
}
