import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildConfig } from './build.ts';
import type { Config } from './config.ts';
import { ConfigError } from './errors.ts';
import { packageRoot } from './package-root.ts';
import { CONFIG_VARIABLE } from './settings.ts';
import { readSettings, type Environment } from './source.ts';

export { ConfigError } from './errors.ts';
export { redactedConfig } from './redact.ts';

const DEFAULT_FILE = join('config', 'sandbox.yaml');

/**
 * The daemon's configuration: the YAML file named by TILLD_CONFIG (config/sandbox.yaml of this
 * package by default), each setting overridden by its variable. The only reader of process.env.
 * @throws {ConfigError} listing every invalid field with its variable and its path in the file.
 */
export function loadConfig(options: { env?: Environment; cwd?: string } = {}): Config {
  const { env = process.env, cwd = process.cwd() } = options;
  const file = configFile(env[CONFIG_VARIABLE]?.trim() ?? '', cwd);
  const { values, problems } = readSettings(readText(file), env);
  const config = buildConfig(values, { file, cwd, home: env['HOME'] ?? null, problems });
  if (problems.length > 0) throw new ConfigError(problems, file);
  return config;
}

/** A relative path is resolved from the working directory first, then from the package. */
function configFile(named: string, cwd: string): string {
  if (named === '') return join(packageRoot(), DEFAULT_FILE);
  const local = resolve(cwd, named);
  const packaged = resolve(packageRoot(), named);
  return !existsSync(local) && existsSync(packaged) ? packaged : local;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const message = `the file ${file} cannot be read (${code})`;
    throw new ConfigError([{ variable: CONFIG_VARIABLE, path: null, message }], file);
  }
}
