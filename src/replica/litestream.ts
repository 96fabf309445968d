import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** The replica or Litestream cannot be used. The message is for the operator and holds no secret. */
export class ReplicaError extends Error {
  override name = 'ReplicaError';
}

/** The replica cannot tell whether another machine has taken over. It may be able to later. */
export class ReplicaUnknownError extends ReplicaError {
  override name = 'ReplicaUnknownError';
}

/** Where the replica is. */
export interface ReplicaTarget {
  /** `file:`, `sftp:` or `s3:`; may hold a password. */
  readonly url: { reveal(): string };
  /** Private key for SFTP; null: the password of the URL. */
  readonly sshKeyFile: string | null;
}

/** What Litestream shows of one epoch's part of the replica. */
export interface Generations {
  readonly count: number;
  /** Time of the newest data, ms; null when there is none. */
  readonly newestAt: number | null;
}

/** Between looks at the write-ahead log, and between uploads: what a dying machine loses is younger than both together. */
const INTERVAL = '250ms';
/** Pages in the write-ahead log (16 MB) from which Litestream checkpoints it, as the daemon does without it. */
const CHECKPOINT_PAGES = 4_000;
const LOOK_TIMEOUT_MS = 15_000;
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

/** Litestream's configuration for the database and its replica in this epoch, which holds secrets of the URL. */
export function litestreamConfig(target: ReplicaTarget, epoch: number, databasePath: string): string {
  const replica = {
    url: epochUrl(target, epoch),
    'sync-interval': INTERVAL,
    'snapshot-interval': '6h',
    retention: '24h',
    ...(target.sshKeyFile === null ? {} : { 'key-path': target.sshKeyFile }),
  };
  const database = {
    path: databasePath,
    'monitor-interval': INTERVAL,
    'min-checkpoint-page-count': CHECKPOINT_PAGES,
    'max-checkpoint-page-count': 10 * CHECKPOINT_PAGES,
    replicas: [replica],
  };
  // JSON is YAML.
  return `${JSON.stringify({ dbs: [database] }, null, 2)}\n`;
}

/** Each epoch has a folder of its own, so that an earlier machine never writes into a later one's replica. */
function epochUrl(target: ReplicaTarget, epoch: number): string {
  return `${target.url.reveal().replace(/\/+$/, '')}/epoch-${epoch}`;
}

/**
 * What the replica holds of an epoch, as the place itself shows it.
 * @throws {ReplicaError} when the place cannot be read.
 */
export async function readGenerations(target: ReplicaTarget, epoch: number): Promise<Generations> {
  // Litestream demands a database that exists and does not open it for this.
  const path = process.execPath;
  const { stdout } = await run(['generations', '-no-expand-env', '-config', '/dev/stdin', path], {
    config: litestreamConfig(target, epoch, path),
    timeoutMs: LOOK_TIMEOUT_MS,
  });
  const [, ...lines] = stdout.trim().split('\n');
  const ends = lines.map((line) => endOf(line));
  return { count: ends.length, newestAt: ends.length === 0 ? null : Math.max(...ends) };
}

const endSchema = z.iso.datetime();

/** The last of the columns name, generation, lag, start, end. @throws {ReplicaError} */
function endOf(line: string): number {
  const end = endSchema.safeParse(line.trim().split(/\s+/).at(-1));
  if (!end.success) throw new ReplicaError('Litestream answered in an unknown form');
  return Date.parse(end.data);
}

/** Restores the newest state of an epoch into a new file. @throws {ReplicaError} */
export async function restoreDatabase(target: ReplicaTarget, epoch: number, path: string): Promise<void> {
  await run(['restore', '-no-expand-env', '-config', '/dev/stdin', '-o', path, path], {
    config: litestreamConfig(target, epoch, path),
    timeoutMs: null,
  });
}

/** Replicates while the work runs. @throws {ReplicaError} when Litestream ends before it */
export async function whileReplicating<T>(
  target: ReplicaTarget,
  { epoch, databasePath }: { readonly epoch: number; readonly databasePath: string },
  work: () => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  const replicating = run(['replicate', '-no-expand-env', '-config', '/dev/stdin'], {
    config: litestreamConfig(target, epoch, databasePath),
    timeoutMs: null,
    signal: stopping.signal,
  });
  const ended = replicating.then(
    () => Promise.reject(new ReplicaError('Litestream ended early')),
    (error: unknown) => Promise.reject(error),
  );
  try {
    return await Promise.race([work(), ended]);
  } finally {
    stopping.abort();
    await replicating.catch(() => undefined);
  }
}

interface Run {
  readonly config: string;
  readonly timeoutMs: number | null;
  readonly signal?: AbortSignal;
}

/** @throws {ReplicaError} when it fails; Litestream tells some failures by its log alone */
async function run(args: readonly string[], { config, timeoutMs, signal }: Run): Promise<{ stdout: string }> {
  // Litestream opens its configuration by name, and Node's pipes cannot be opened so.
  const input = unnamedFile(config);
  const child = spawn(litestreamProgram(), args, {
    stdio: [input, 'pipe', 'pipe'],
    ...(timeoutMs === null ? {} : { timeout: timeoutMs, killSignal: 'SIGKILL' }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
  child.stderr
    ?.setEncoding('utf8')
    .on('data', (text: string) => void (stderr = (stderr + text).slice(-KEPT_CHARACTERS)));
  closeSync(input);
  signal?.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once('error', (cause) =>
    reject(new ReplicaError(`Litestream cannot be run: ${cause.message}`, { cause })),
  );
  child.once('close', (code, killedBy) => {
    const told = `${stdout}\n${stderr}`.split('\n').filter((line) => /\bERROR\b/.test(line));
    if (code === 0 && told.length === 0) resolve();
    else if (killedBy === 'SIGKILL') reject(new ReplicaError(`no answer within ${timeoutMs} ms`));
    else reject(new ReplicaError(told.at(-1)?.trim() ?? `Litestream ended with ${code ?? killedBy}`));
  });
  await promise;
  return { stdout };
}

/** Opens a file with this text that has no name any more: it holds secrets, and is gone with its last reader. */
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
