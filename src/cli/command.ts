import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { trustAuthorities } from '../app/trust-authorities.ts';
import { ConfigError, loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/config.ts';
import { packageRoot } from '../config/package-root.ts';
import { isDay } from '../domain/calendar.ts';
import type { Logger } from '../domain/ports.ts';

/** Wrong usage of a command: the message states the expected usage. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Exit codes of the commands: 0 done, 1 failed or differences found, 2 wrong usage or configuration. */
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Runs a command and sets its exit code; a failure is one line for the operator, without secrets or traces. */
export async function runCommand(usage: string, work: (args: string[]) => Promise<number>): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    printLine(usage);
    return;
  }
  try {
    process.exitCode = await work(args);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError || error instanceof ConfigError;
    warn(isUsage && !(error instanceof ConfigError) ? `${message}\n\n${usage}` : message);
    process.exitCode = isUsage ? EXIT_USAGE : EXIT_FAILED;
  }
}

/** Options and operands of a call. @throws {UsageError} */
export function parseCall<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * The daemon's own configuration, optionally with another data directory; its authorities are trusted from then on. Relative paths in it resolve from
 * the directory in which scripts/start starts the daemon, not from the caller's.
 */
export function toolConfig(dataDir: string | undefined): Config {
  const named = dataDir === undefined ? {} : { TILLD_DATA_DIR: resolve(dataDir) };
  const config = loadConfig({ env: { ...process.env, ...named }, cwd: packageRoot() });
  trustAuthorities(config);
  return config;
}

/** Parses an integer option. @throws {UsageError} */
export function parseCount(name: string, text: string, min: number, max: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}`);
}

/** Parses a date option to the start of that day (UTC), ms. @throws {UsageError} when there is no such day. */
export function parseDay(name: string, text: string): number {
  if (isDay(text)) return Date.parse(text);
  throw new UsageError(`--${name}: ${text} is not a date such as 2026-01-31`);
}

/** Reads a secret from a file (`-`: standard input), else prompts on the terminal. */
export async function readSecret(
  file: string | undefined,
  question: string,
  option: string,
): Promise<string> {
  if (file !== undefined) return readText(file, option);
  if (!process.stdin.isTTY) throw new UsageError(`no terminal: use ${option}`);
  const answer = await ask(question, true);
  return answer.trim();
}

function readText(file: string, option: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').trim();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot read the file of ${option}: ${why}`, { cause: error });
  }
}

/** Prompts on the terminal; input to a hidden prompt is not echoed. */
export async function ask(question: string, hidden: boolean): Promise<string> {
  process.stderr.write(question);
  const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await new Promise((resolve) => lines.question('', resolve));
  } finally {
    lines.close();
    if (hidden) process.stderr.write('\n');
  }
}

/** Writes a line of a command's result to standard output. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Writes a line for the user to standard error. */
export function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}

const PROGRESS_EVERY_MS = 15_000;

/** Does work that may take minutes, and shows now and then that it goes on. */
export async function withProgress<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begunAt = Date.now();
  const timer = setInterval(() => {
    warn(`${what}: ${Math.round((Date.now() - begunAt) / 1_000)} s so far`);
  }, PROGRESS_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** The logger of a command: warnings and errors only. */
export const TOOL_LOGGER: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_fields, message) => warn(message),
  error: (_fields, message) => warn(message),
};
