import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getCACertificates } from 'node:tls';

/** The replica or Litestream cannot be used. The message is for the operator and holds no secret. */
export class ReplicaError extends Error {
  override name = 'ReplicaError';
}

/** The replica does not show whether another machine has taken over. It may show that later. */
export class ReplicaUnknownError extends ReplicaError {
  override name = 'ReplicaUnknownError';
}

const KEPT_CHARACTERS = 2_000;

/** Path of Litestream's program. @throws {ReplicaError} when the package has none for this platform */
export function litestreamProgram(): string {
  const platform = `@flydotio/litestream-${process.platform}-${process.arch}`;
  try {
    const { resolve } = createRequire(import.meta.url);
    return join(
      dirname(createRequire(resolve('@flydotio/litestream')).resolve(`${platform}/package.json`)),
      'litestream',
    );
  } catch (cause) {
    throw new ReplicaError(`Litestream is not installed (${platform}): npm install`, { cause });
  }
}

/**
 * The environment of Litestream: with the credentials for S3, and without the daemon's own secrets.
 * @param authorities file with the certificates to trust; null: those of the system
 */
export function litestreamEnvironment(authorities: string | null): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TILLD_'));
  return {
    ...(authorities === null ? {} : { SSL_CERT_FILE: authorities }),
    ...Object.fromEntries(inherited),
  };
}

/**
 * The certificates that this process trusts, PEM. Litestream gets them because a program in Go knows those of the
 * system alone: a slim image has none, and those of private authorities are not among them.
 */
export function trustedAuthorities(): string {
  return getCACertificates().join('\n');
}

export interface LitestreamRun {
  readonly config: string;
  /** Whether it makes requests over TLS. */
  readonly isRemote: boolean;
  readonly timeoutMs: number | null;
  readonly signal?: AbortSignal | undefined;
}

/** @throws {ReplicaError} if it fails; Litestream reports some failures only in its log */
export async function runLitestream(
  args: readonly string[],
  { config, isRemote, timeoutMs, signal }: LitestreamRun,
): Promise<{ stdout: string }> {
  if (signal?.aborted === true) throw new ReplicaError('stopped before its start');
  // Litestream opens its configuration by name, and Node's pipes cannot be opened by name.
  const input = unnamedFile(config);
  const authorities = isRemote ? unnamedFile(trustedAuthorities()) : null;
  const child = spawn(litestreamProgram(), args, {
    stdio: [input, 'pipe', 'pipe', authorities ?? 'ignore'],
    env: litestreamEnvironment(authorities === null ? null : '/dev/fd/3'),
    ...(timeoutMs === null ? {} : { timeout: timeoutMs, killSignal: 'SIGKILL' }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
  child.stderr
    ?.setEncoding('utf8')
    .on('data', (text: string) => void (stderr = (stderr + text).slice(-KEPT_CHARACTERS)));
  closeSync(input);
  if (authorities !== null) closeSync(authorities);
  signal?.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once('error', (cause) =>
    reject(new ReplicaError(`Litestream cannot be run: ${cause.message}`, { cause })),
  );
  child.once('close', (code, killedBy) => {
    const errorLines = `${stdout}\n${stderr}`.split('\n').filter((line) => /\bERROR\b/.test(line));
    if (code === 0 && errorLines.length === 0) resolve();
    else if (killedBy === 'SIGKILL') reject(new ReplicaError(`no answer within ${timeoutMs} ms`));
    else reject(new ReplicaError(reasonIn(errorLines.at(-1)) ?? `Litestream ended with ${code ?? killedBy}`));
  });
  await promise;
  return { stdout };
}

/** The text of a line of its log after `error=`. */
function reasonIn(line: string | undefined): string | undefined {
  const quoted = /\berror="((?:[^"\\]|\\.)*)"/.exec(line ?? '')?.[1];
  return (
    quoted
      ?.replaceAll(/\\[nt]/g, ' ')
      .replaceAll('\\"', '"')
      .replaceAll(/\s+/g, ' ')
      .trim() ?? line?.trim()
  );
}

/** Opens an unlinked file with this text: it may contain secrets, and vanishes with its last reader. */
function unnamedFile(text: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'tilld-litestream-'));
  try {
    const path = join(folder, 'config');
    writeFileSync(path, text, { mode: 0o600 });
    return openSync(path, 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
