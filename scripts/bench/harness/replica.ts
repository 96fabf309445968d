import { setTimeout as sleep } from 'node:timers/promises';
import { startNode, type Child } from './child.ts';
import type { Daemon } from './daemon.ts';
import type { Bench } from './question.ts';

const SHOWN_LIMIT_MS = 900_000;

/** Runs a command of the build. @throws if it fails */
export async function runCommand(
  bench: Bench,
  [tool, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const child = startNode(bench, [`dist/tools/${tool}.js`, ...args], {
    TILLD_CONFIG: 'config/sandbox.yaml',
    ...env,
  });
  const code = await new Promise((resolve) => void child.process.once('close', resolve));
  if (code !== 0) throw new Error(`${tool} ended with ${String(code)}: ${child.output()}`);
}

/** Starts scripts/replicate for a daemon and waits until the replica has the database. */
export async function startReplicating(
  bench: Bench,
  daemon: Daemon,
  env: Readonly<Record<string, string>>,
): Promise<Child> {
  const child = startNode(bench, ['dist/tools/replicate.js'], {
    TILLD_CONFIG: 'config/sandbox.yaml',
    TILLD_DATA_DIR: daemon.dataDir,
    ...env,
  });
  const until = performance.now() + SHOWN_LIMIT_MS;
  for (;;) {
    const { body } = await daemon.api.call<{ replica?: { lagSeconds: number | null } }>('GET', '/readyz');
    if (typeof body.data.replica?.lagSeconds === 'number') return child;
    if (child.process.exitCode !== null || performance.now() > until)
      throw new Error(`replication did not start: ${child.output()}`);
    await sleep(100);
  }
}
