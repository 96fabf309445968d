import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { printLine, warn } from '../command.ts';
import type { Installation, Journal } from './installation.ts';
import { nothing, runRelease, runStep } from './release-command.ts';
import { startService, stopService, waitForService } from './service-control.ts';

const UNITS_FOLDER = '/etc/systemd/system';
const UNITS = ['tilld.service', 'tilld-replica.service'];

const comparison = z.object({ changed: z.array(z.string()) });

export interface Switching {
  readonly installation: Installation;
  readonly config: Config;
  readonly waitMs: number;
}

/**
 * Continues an update from its journal, from whichever point it was killed at: stops the old release, keeps the database
 * from before the update, makes the new release the current one, starts it and waits until it is ready; else switches back.
 * @throws if the new release did not become ready
 */
export async function continueUpdate(switching: Switching, journal: Journal): Promise<void> {
  const { installation } = switching;
  if (journal.state === 'switching-back')
    return switchBack(switching, journal, 'the switch back was interrupted');
  if (installation.current() === journal.from) {
    stopService();
    const stopped = { ...journal, stoppedAt: Date.now() };
    keepDatabase(installation, stopped);
    installation.note(stopped);
    replaceUnits(installation, stopped.from, stopped.to);
    installation.switchTo(stopped.to);
    return startNew(switching, stopped);
  }
  return startNew(switching, journal);
}

async function startNew(switching: Switching, journal: Journal): Promise<void> {
  const { installation, config, waitMs } = switching;
  const { to, wasReady } = journal;
  const wanted = { version: to, mustBeReady: wasReady, waitMs };
  warn(`Starting ${to}, and waiting until it is ${wasReady ? 'ready' : 'there'}`);
  const problem = attempt(startService) ?? (await waitForService(config, wanted));
  if (problem !== null) return switchBack(switching, journal, problem);
  installation.note({ ...journal, state: 'updated' });
  removeOldReleases(installation, journal);
  printLine(`tilld is ${to}. tillctl rollback returns to ${journal.from}.`);
}

/**
 * Switches back to the old release. A migrated database is replaced by its earlier copy only if nothing was
 * accepted, sent or signed since; otherwise the new release stays, and the operator decides.
 */
async function switchBack(switching: Switching, journal: Journal, problem: string): Promise<void> {
  const { installation, config, waitMs } = switching;
  const { from, to, migration } = journal;
  warn(`${to} did not start properly: ${problem}`);
  stopService();
  const written = migration === null ? [] : writtenSince(installation, from, migration);
  if (written.length > 0) {
    startService();
    installation.note({ ...journal, state: 'updated' });
    throw new Error(
      `${to} was not ready (${problem}), but has written since it was started (${written.join(', ')}), and ${from} cannot read its database: it stays. tillctl rollback shows what going back would lose`,
    );
  }
  installation.note({ ...journal, state: 'switching-back' });
  if (migration !== null) {
    runStep(installation, { version: from, step: ['put-back', migration], schema: nothing });
    if (config.replica !== null) runRelease(installation, from, ['promote']);
  }
  replaceUnits(installation, to, from);
  installation.switchTo(from);
  startService();
  const wanted = { version: from, mustBeReady: false, waitMs };
  const remaining = await waitForService(config, wanted);
  installation.note({ ...journal, state: 'failed' });
  const outcome =
    remaining === null
      ? `${from} runs again, and nothing was lost`
      : `${from} does not run either (${remaining})`;
  throw new Error(`${to} was not ready (${problem}): ${outcome}`);
}

/** Tables in which the new release has written; where that is not known, it counts as written. */
function writtenSince(installation: Installation, from: string, migration: string): readonly string[] {
  try {
    const step = ['written-since', migration];
    return runStep(installation, { version: from, step, schema: comparison }).changed;
  } catch (error) {
    return [`unknown: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** Removes releases that neither run nor can be gone back to. */
function removeOldReleases(installation: Installation, { from, to }: Journal): void {
  const releases = join(installation.root, 'releases');
  for (const name of readdirSync(releases))
    if (name !== from && name !== to) rmSync(join(releases, name), { recursive: true, force: true });
}

/** Keeps the database where the new release migrates it, once the daemon is stopped. */
function keepDatabase(installation: Installation, { from, migration }: Journal): void {
  if (migration === null) return;
  runStep(installation, { version: from, step: ['keep', migration], schema: nothing });
}

/** Replaces a unit that is unchanged since the previous release by the unit of the other release. */
export function replaceUnits(installation: Installation, before: string, after: string): void {
  for (const unit of UNITS) {
    const installed = join(UNITS_FOLDER, unit);
    const [old, next] = [before, after].map((version) => join(installation.release(version), 'config', unit));
    if (old === undefined || next === undefined) continue;
    const isUnedited = [installed, old, next].every((file) => existsSync(file)) && isSame(installed, old);
    if (isUnedited && !isSame(old, next)) copyFileSync(next, installed);
  }
}

function isSame(a: string, b: string): boolean {
  return readFileSync(a).equals(readFileSync(b));
}

function attempt(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
