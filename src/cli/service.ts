import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packageRoot } from '../config/package-root.ts';
import { CONFIG_VARIABLE } from '../config/settings.ts';

/** The unit of the daemon under systemd; another path for tests and other layouts. */
const UNIT_VARIABLE = 'TILLCTL_UNIT';
const UNIT_FILE = '/etc/systemd/system/tilld.service';

/** What the unit of the service says about the process that it starts. */
export interface Service {
  readonly user: string;
  readonly group: string;
  /** Further groups, such as that of a node's cookie file. */
  readonly groups: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files with secrets, which only root may read. */
  readonly secretFiles: readonly string[];
}

let secretFiles: readonly string[] = [];

/** Files with secrets that the unit names, once `useService` has run. */
export function serviceSecretFiles(): readonly string[] {
  return secretFiles;
}

/** Folder of an installation with releases side by side; null if this program is not part of one. */
export function installRoot(): string | null {
  const releases = dirname(realpathSync(packageRoot()));
  return basename(releases) === 'releases' ? dirname(releases) : null;
}

/**
 * Continues as the service would run: as its user, with its environment and credentials. Does nothing where the
 * caller's environment names a configuration, or where no service is installed.
 * @throws unless called by root
 */
export function useService(): void {
  const unit = serviceUnit();
  if (unit === null) return;
  if (process.getuid?.() !== 0)
    throw new Error(
      'this command needs the settings and secrets of the service: run it as root (sudo tillctl …)',
    );
  const service = readService(unit);
  const { user, group, env } = service;
  Object.assign(process.env, env);
  secretFiles = service.secretFiles;
  process.umask(0o077);
  joinGroups(user, group, service.groups);
  process.setgid?.(group);
  process.setuid?.(user);
}

/** The groups of a user, as at a login, and further ones. */
function joinGroups(user: string, group: string, more: readonly string[]): void {
  // Missing in the types of Node.
  const caller: { initgroups?: (user: string, group: string) => void } & NodeJS.Process = process;
  caller.initgroups?.(user, group);
  if (more.length > 0) process.setgroups?.([...(process.getgroups?.() ?? []), ...more]);
}

/** The unit of this installation; null where the caller's environment counts instead. */
export function serviceUnit(): string | null {
  const isSet = (process.env[CONFIG_VARIABLE] ?? '') !== '';
  const unit = process.env[UNIT_VARIABLE] ?? UNIT_FILE;
  return isSet || installRoot() === null || !existsSync(unit) ? null : unit;
}

/**
 * Reads the unit and its drop-ins: user, environment, environment files and credentials. A credential that a
 * variable `…_FILE` names becomes the value of the variable without `_FILE`.
 */
export function readService(unit: string): Service {
  const settings = readUnit(unit);
  const credentials = readCredentials(settings);
  const env: Record<string, string> = {};
  const environmentFiles = last(settings, 'EnvironmentFile');
  for (const line of last(settings, 'Environment')) Object.assign(env, assignments(words(line)));
  for (const path of environmentFiles) Object.assign(env, readEnvironmentFile(path));
  for (const [name, value] of Object.entries(env)) {
    const credential = credentials.get(/^%d\/(.+)$/.exec(value)?.[1] ?? '');
    if (credential === undefined) continue;
    delete env[name];
    env[name.replace(/_FILE$/, '')] = credential.read().trim();
  }
  const user = last(settings, 'User').at(-1) ?? 'root';
  const plain = [...credentials.values()].flatMap(({ plainFile }) => plainFile ?? []);
  const secrets = [...environmentFiles.map((path) => path.replace(/^-/, '')), ...plain];
  return {
    user,
    group: last(settings, 'Group').at(-1) ?? user,
    groups: last(settings, 'SupplementaryGroups').flatMap(words),
    env,
    secretFiles: secrets.filter(existsSync),
  };
}

interface Credential {
  readonly read: () => string;
  /** The file with the secret itself; null if systemd has encrypted it. */
  readonly plainFile: string | null;
}

/** By id. Encrypted ones come last, as in systemd, which reads them in place of a plain one of the same id. */
function readCredentials(settings: readonly Setting[]): ReadonlyMap<string, Credential> {
  const plain = last(settings, 'LoadCredential').map((text): [string, Credential] => {
    const [id, path] = splitCredential(text);
    return [id, { read: () => readAsRoot(path), plainFile: path }];
  });
  const encrypted = last(settings, 'LoadCredentialEncrypted').map((text): [string, Credential] => {
    const [id, path] = splitCredential(text);
    return [id, { read: () => decryptCredential(id, path || join(CREDENTIAL_STORE, id)), plainFile: null }];
  });
  return new Map([...plain, ...encrypted]);
}

/** Directories in which systemd searches for encrypted credentials that are given without a path. */
const CREDENTIAL_STORE = '/etc/credstore.encrypted';

function splitCredential(text: string): [id: string, path: string] {
  const [id = '', path = ''] = text.split(/:(.*)/s);
  return [id, path];
}

/** The key is in the TPM or in a file of this machine that only root reads. */
function decryptCredential(id: string, path: string): string {
  const args = ['decrypt', `--name=${id}`, path, '-'];
  const { status, stdout, stderr, error } = spawnSync('systemd-creds', args, { encoding: 'utf8' });
  if (error !== undefined || status !== 0) {
    const why = error?.message ?? stderr.trim();
    throw new Error(`${path}, which the unit of the service names, cannot be decrypted: ${why}`);
  }
  return stdout;
}

type Setting = readonly [name: string, value: string];

function readUnit(unit: string): Setting[] {
  const dropIns = `${unit}.d`;
  const names = existsSync(dropIns) ? readdirSync(dropIns).filter((name) => name.endsWith('.conf')) : [];
  const files = [unit, ...names.toSorted().map((name) => join(dropIns, name))];
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').replaceAll('\\\n', ' ').split('\n'));
  return lines.flatMap((line): Setting[] => {
    const [, name, value] = /^\s*([A-Za-z]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
}

/** Values of a setting; an empty one clears those before it, as in systemd. */
function last(settings: readonly Setting[], name: string): string[] {
  const values = settings.filter(([each]) => each === name).map(([, value]) => value);
  return values.slice(values.lastIndexOf('') + 1);
}

/** Words of a line of a unit; quotes group, and `%%` is a percent sign. */
function words(line: string): string[] {
  const parts = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return parts.map((part) => part.replaceAll(/["']/g, '').replaceAll('%%', '%'));
}

function assignments(texts: readonly string[]): Record<string, string> {
  const pairs = texts.map((text) => text.split(/=(.*)/s));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
}

function readEnvironmentFile(path: string): Record<string, string> {
  const file = path.replace(/^-/, '');
  if (path.startsWith('-') && !existsSync(file)) return {};
  const lines = readAsRoot(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^[A-Za-z_]\w*=/.test(line));
  const unquoted = lines.map((line) => line.replace(/=(["'])(.*)\1$/, '=$2'));
  return assignments(unquoted);
}

function readAsRoot(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new Error(`${path}, which the unit of the service names, cannot be read (${code})`, {
      cause: error,
    });
  }
}
