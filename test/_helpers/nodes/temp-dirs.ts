/** Temporary data directories that know their owner, so that none outlives its process for long. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTime } from './proc.ts';

const PREFIX = 'tilld-node-';
const OWNER_FILE = 'owner';
let swept = false;

/** A fresh directory (mode 0700) that belongs to this process. */
export function createTempDir(): string {
  if (!swept) sweepOrphans();
  swept = true;
  const directory = mkdtempSync(join(tmpdir(), PREFIX));
  writeFileSync(join(directory, OWNER_FILE), `${process.pid} ${startTime(process.pid)}\n`);
  return directory;
}

export function removeTempDir(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes what earlier runs left because they were killed before they could clean up. */
function sweepOrphans(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const directory = join(tmpdir(), name);
    try {
      const [pid = '', started] = readFileSync(join(directory, OWNER_FILE), 'utf8').trim().split(' ');
      if (startTime(Number(pid)) !== started) removeTempDir(directory);
    } catch {
      // being created or removed by another process: not ours to judge
    }
  }
}
