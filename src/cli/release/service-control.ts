import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { readiness, runningVersion } from '../query-daemon.ts';

/** A program that is called with `stop` and `start`, where the daemon is not the unit tilld. */
const CONTROL_VARIABLE = 'TILLCTL_SERVICE';
const UNIT = 'tilld';
const REPLICA = 'tilld-replica';
const POLL_MS = 500;

/** Whether the replica ran when it was stopped; it may not be enabled. */
let wasReplicating = false;

/** Stops the daemon, and the program that replicates its database. @throws if that fails. */
export function stopService(): void {
  const control = process.env[CONTROL_VARIABLE];
  if (control !== undefined) return run(control, ['stop']);
  wasReplicating ||= isSystemd('is-active', REPLICA);
  run('systemctl', ['stop', UNIT, ...(wasReplicating ? [REPLICA] : [])]);
}

/** Starts what `stopService` stopped. @throws if that fails. */
export function startService(): void {
  const control = process.env[CONTROL_VARIABLE];
  if (control !== undefined) return run(control, ['start']);
  run('systemctl', ['daemon-reload']);
  // Failed starts before count towards a limit of the unit.
  spawnSync('systemctl', ['reset-failed', UNIT], { stdio: 'ignore' });
  // An update that was killed continues in a process that has not stopped the replica.
  const hasReplica = wasReplicating || isSystemd('is-enabled', REPLICA);
  run('systemctl', ['start', UNIT, ...(hasReplica ? [REPLICA] : [])]);
}

/** Whether the unit has ended for good, so that waiting is of no use. */
function hasFailed(): boolean {
  return process.env[CONTROL_VARIABLE] === undefined && isSystemd('is-failed', UNIT);
}

function isSystemd(question: 'is-active' | 'is-enabled' | 'is-failed', unit: string): boolean {
  return spawnSync('systemctl', [question, '--quiet', unit]).status === 0;
}

function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
}

/**
 * Waits until the daemon of a version responds, and is ready or at least serves.
 * @returns null once it does, else what is missing at the end
 */
export async function waitForService(
  config: Config,
  wanted: { readonly version: string; readonly mustBeReady: boolean; readonly waitMs: number },
): Promise<string | null> {
  const end = Date.now() + wanted.waitMs;
  for (;;) {
    const missing = await findProblem(config, wanted);
    if (missing === null || Date.now() > end || hasFailed()) return missing;
    await pause(POLL_MS);
  }
}

async function findProblem(
  config: Config,
  { version, mustBeReady }: { readonly version: string; readonly mustBeReady: boolean },
): Promise<string | null> {
  const running = await runningVersion(config);
  if (running === null) return 'the daemon does not respond';
  if (running !== version) return `the daemon that responds is ${running}`;
  if (!mustBeReady) return null;
  const state = await readiness(config);
  if (state?.ready === true) return null;
  return `the daemon is not ready: ${describe(state)}`;
}

function describe(state: Awaited<ReturnType<typeof readiness>>): string {
  const chains = Object.entries(state?.chains ?? {})
    .filter(([, { state: name }]) => name !== 'following')
    .map(([chain, { state: name, lastError }]) => `${chain} ${name}${lastError ? ` (${lastError})` : ''}`);
  return chains.length === 0 ? 'see /readyz' : chains.join(', ');
}
