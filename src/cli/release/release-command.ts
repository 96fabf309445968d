import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import type { Installation } from './installation.ts';

/**
 * Runs tillctl of a release, which switches to the user of the service; messages go to the terminal.
 * @returns its standard output
 * @throws if it fails
 */
export function runRelease(installation: Installation, version: string, args: readonly string[]): string {
  const program = join(installation.release(version), 'bin/tillctl');
  const result = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // The caller's folder may be closed to the user of the service.
    cwd: '/',
  });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) throw new Error(`tillctl ${args.join(' ')} of ${version} failed`);
  return result.stdout;
}

/** Runs a step that reads or changes the database; a step answers in JSON. */
export function runStep<T>(
  installation: Installation,
  { version, step, schema }: { version: string; step: readonly string[]; schema: z.ZodType<T> },
): T {
  return schema.parse(JSON.parse(runRelease(installation, version, ['database-step', ...step])));
}

export const nothing = z.object({});
