import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../poll.ts';

const MADE = 'dist/web/.vite/manifest.json';
const LOCK = 'node_modules/.tilld-web-build';
const LOCK_LASTS_MS = 120_000;

function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isFresh(): boolean {
  // The build writes its last files after the manifest.
  if (existsSync(LOCK)) return false;
  return isNewer();
}

function isNewer(): boolean {
  const sources = ['locales', 'src/i18n', 'src/web'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return [...sources, 'vite.config.ts', 'package-lock.json'].every((path) => timeOf(path) < timeOf(MADE));
}

function takeLock(): boolean {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    // Left behind by a run that was killed.
    if (Date.now() - timeOf(LOCK) > LOCK_LASTS_MS) rmSync(LOCK, { recursive: true, force: true });
    return false;
  }
}

/** Builds the pages when their sources are newer; test files that need them at once build them once. */
export async function ensureWebBuilt(): Promise<void> {
  if (isFresh()) return;
  await eventually('the web pages are built', takeLock, (mine) => mine || isFresh(), LOCK_LASTS_MS);
  try {
    // A process of its own: under NODE_ENV=test the libraries would be built for development.
    if (!isNewer()) {
      const env = { ...process.env, NODE_ENV: 'production' };
      await promisify(execFile)('node_modules/.bin/vite', ['build', '--logLevel', 'warn'], { env });
    }
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}
