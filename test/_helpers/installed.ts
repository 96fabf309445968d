import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The version of the present sources. */
export const VERSION = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;

/** Builds the present sources if needed; the folder of the build. */
export function buildSources(): string {
  const script = 'source scripts/_env.sh; ensure_build';
  return execFileSync('bash', ['-c', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

/**
 * Lays out a release as its archive does, under another version if wanted. The packages are a link to those of the
 * sources, because only the program is under test.
 */
export function layOutRelease(folder: string, build: string, version = VERSION): void {
  mkdirSync(folder, { recursive: true });
  cpSync(build, join(folder, 'dist'), { recursive: true });
  for (const name of ['bin', 'config']) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const declared = JSON.parse(readFileSync('package.json', 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...declared, version }));
}

/** Installs a release into `root/releases` and makes it the current one. */
export function install(root: string, build: string, version = VERSION): string {
  const folder = join(root, 'releases', version);
  layOutRelease(folder, build, version);
  const link = join(root, 'current');
  rmSync(`${link}.new`, { force: true });
  symlinkSync(join('releases', version), `${link}.new`);
  renameSync(`${link}.new`, link);
  return folder;
}
