import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfigProblem } from './errors.ts';
import { Secret } from './secret.ts';
import { SETTINGS, type SettingName, type Values } from './settings.ts';

export interface BuildContext {
  readonly file: string;
  /** Base of relative paths. */
  readonly cwd: string;
  /** For `~/` in paths. */
  readonly home: string | null;
  readonly problems: ConfigProblem[];
}

const URL_FILES = [
  ['btcRpcUrl', 'btcRpcUrlFile'],
  ['ltcRpcUrl', 'ltcRpcUrlFile'],
  ['ethRpcUrl', 'ethRpcUrlFile'],
  ['solRpcUrl', 'solRpcUrlFile'],
  ['smtpUrl', 'smtpUrlFile'],
  ['replicaUrl', 'replicaUrlFile'],
] as const;

const SECRETS = [
  ['jwtSecret', 'jwtSecretFile'],
  ['passphrase', 'passphraseFile'],
  ['coingeckoKey', 'coingeckoKeyFile'],
] as const;

/** Node URLs contain passwords and keys, so each may be read from a file. An empty file counts as unset. */
export function withUrlFiles(values: Values, context: BuildContext): Values {
  const urls: Partial<Record<(typeof URL_FILES)[number][0], URL>> = {};
  for (const [direct, byFile] of URL_FILES) {
    const file = values[byFile];
    if (file === undefined) continue;
    if (values[direct] !== undefined) {
      complain(context, byFile, `cannot go with ${SETTINGS[direct].env}: choose one`);
      continue;
    }
    const text = readTrimmed(byFile, file, context);
    if (text === null || text === '') continue;
    const parsed = SETTINGS[direct].schema.safeParse(text);
    if (parsed.success) urls[direct] = parsed.data;
    else
      complain(context, byFile, `the file: ${parsed.error.issues.map(({ message }) => message).join('; ')}`);
  }
  return { ...values, ...urls };
}

/** Files that contain secrets, as configured. */
export function secretFiles(values: Values, context: BuildContext): string[] {
  const names = [...URL_FILES, ...SECRETS].map(([, byFile]) => byFile);
  const files = [...names, 'tlsKey' as const].map((name) => values[name]);
  return files.filter((file) => file !== undefined).map((file) => resolvePath(file, context));
}

/** Trimmed content of a file; null when it cannot be read, which adds a problem. */
export function readTrimmed(name: SettingName, file: string, context: BuildContext): string | null {
  try {
    return readFileSync(resolvePath(file, context), 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    complain(context, name, `the file cannot be read (${code})`);
    return null;
  }
}

/** A secret, set directly or by a file (Docker and systemd credentials). */
export function readSecret(
  [direct, byFile]: (typeof SECRETS)[number],
  values: Values,
  context: BuildContext,
): Secret | null {
  const [given, file] = [values[direct], values[byFile]];
  if (given !== undefined && file !== undefined) {
    complain(context, byFile, `cannot go with ${SETTINGS[direct].env}: choose one`);
  }
  if (given !== undefined) return new Secret(given);
  if (file === undefined) return null;
  const content = readTrimmed(byFile, file, context);
  if (content === null) return null;
  if (content !== '') return new Secret(content);
  complain(context, byFile, 'the file is empty');
  return null;
}

/** Makes a path absolute; a relative one resolves from the working directory. */
export function resolvePath(path: string, { cwd, home }: BuildContext): string {
  return path.startsWith('~/') && home !== null ? resolve(home, path.slice(2)) : resolve(cwd, path);
}

/** Adds a problem of one setting. */
export function complain(context: BuildContext, name: SettingName, message: string): void {
  const { env, yaml } = SETTINGS[name];
  // Skips problems that follow from an invalid value or were already reported.
  const isKnown = context.problems.some(
    ({ variable }) => variable !== null && (variable === env || message.includes(variable)),
  );
  if (isKnown) return;
  context.problems.push({ variable: env, path: yaml, message });
}
