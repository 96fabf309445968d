import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { MIGRATION } from './updates.ts';

const MIGRATIONS_FILE = 'src/store/schema/migrate.ts';

/** Builds the archive of the daemon and signs it, as a maintainer does; its path. */
export async function buildRelease(
  sources: string,
  { into, key, options = [] }: { into: string; key: string; options?: readonly string[] },
): Promise<string> {
  const args = ['--daemon-only', '--into', into, '--sign', key, ...options];
  await promisify(execFile)(join(sources, 'scripts/release'), args, { maxBuffer: 64_000_000 });
  const name = readdirSync(into).find((file) => file.endsWith(`-${process.platform}-${process.arch}.tar.gz`));
  if (name === undefined) throw new Error(`scripts/release wrote no archive into ${into}`);
  return join(into, name);
}

/** A repository with the present sources as those of a later version, which has one more migration. */
export function copyAsLaterVersion(folder: string, version: string): void {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { encoding: 'utf8', maxBuffer: 64_000_000 }).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(name))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(file, join(folder, file));
  }
  for (const file of ['package.json', 'package-lock.json'])
    edit(join(folder, file), /"version": "[^"]+"/, `"version": "${version}"`);
  const later = `'${MIGRATION}': {
    up: async (db) => {
      await db.schema.createTable('of_a_later_release').addColumn('id', 'text').execute();
    },
  },`;
  edit(join(folder, MIGRATIONS_FILE), /(const MIGRATIONS: Migrations = \{[^}]*)\}/, `$1${later}\n}`);
  linkPackages(join(folder, 'node_modules'));
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=test', '-c', 'user.email=test@shop.example', 'commit', '-q', '-m', version);
}

/** The installed packages; the mark of what they were installed for is not shared. */
function linkPackages(modules: string): void {
  mkdirSync(modules);
  for (const name of readdirSync('node_modules').filter((each) => each !== '.tilld-installed'))
    symlinkSync(resolve('node_modules', name), join(modules, name));
}

function edit(file: string, pattern: RegExp, replacement: string): void {
  const text = readFileSync(file, 'utf8');
  if (!pattern.test(text)) throw new Error(`${file} has no ${pattern.source}`);
  writeFileSync(file, text.replace(pattern, replacement));
}
