import { spawn, type ChildProcess } from 'node:child_process';
import { commandProgram } from '../config/package-root.ts';

const KEPT_ERROR_CHARACTERS = 2_000;

/** Runs a command of tilld in a process of its own, because its work would block the daemon. */
export class CommandProcess {
  #child: ChildProcess | null = null;

  /**
   * Runs the command to its end; one at a time.
   * @param env replaces the daemon's own environment
   * @param limitMs ends a command that hangs, for example on a disk of the network that is away
   * @throws {Error} with the command's standard error, which contains no secret
   */
  async run(
    name: string,
    args: readonly string[],
    { env, limitMs }: { readonly env: NodeJS.ProcessEnv; readonly limitMs: number },
  ): Promise<void> {
    const child = spawn(process.execPath, [commandProgram(name), ...args], {
      env,
      timeout: limitMs,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    const startedMs = performance.now();
    let errorText = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errorText = (errorText + text).slice(-KEPT_ERROR_CHARACTERS);
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else if (performance.now() - startedMs >= limitMs)
        reject(new Error(`not finished after ${Math.round(limitMs / 1000)} seconds; ended`));
      else reject(new Error(errorText.trim() || `ended with ${code ?? signal}`));
    });
    await promise.finally(() => {
      this.#child = null;
    });
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }
}
