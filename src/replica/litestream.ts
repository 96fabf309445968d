import { z } from 'zod';
import { ReplicaError, runLitestream, type LitestreamRun } from './litestream-process.ts';

/** Location of the replica. */
export interface ReplicaTarget {
  /** `file:` or `s3:`; may hold a password. */
  readonly url: { reveal(): string };
  /** Of an S3 service other than Amazon's. */
  readonly s3Endpoint: string | null;
  readonly s3Region: string | null;
}

/** The state of one epoch's part of the replica. */
export interface Generations {
  readonly count: number;
  /** Those with a snapshot; the one with the newest data is first. */
  readonly found: readonly Generation[];
}

/** One of Litestream's generations: a copy of the database without a gap. */
export interface GenerationName {
  readonly epoch: number;
  readonly generation: string;
}

export interface Generation {
  readonly name: string;
  /** Time of its newest data, ms. */
  readonly newestAt: number;
}

/**
 * Interval of reading the write-ahead log, and of uploads: the data loss of a failing machine is bounded by
 * their sum.
 */
const INTERVAL = '250ms';
/**
 * Pages in the write-ahead log (16 MB) from which Litestream checkpoints it; the daemon's limit without
 * Litestream is the same.
 */
const CHECKPOINT_PAGES = 4_000;
const READ_TIMEOUT_MS = 15_000;
/**
 * Timeout of a command of the operator: Litestream lists every segment of a day for it, which takes hundreds
 * of requests.
 */
export const LONG_READ_TIMEOUT_MS = 900_000;

/** What Litestream is to replicate or restore. */
export interface LitestreamJob {
  readonly epoch: number;
  readonly databasePath: string;
}

/**
 * Litestream's configuration for the database and its replica in this epoch; contains the secrets of the URL.
 */
export function litestreamConfig(target: ReplicaTarget, job: LitestreamJob): string {
  const { epoch, databasePath } = job;
  const replica = {
    url: epochUrl(target.url.reveal(), epoch),
    'sync-interval': INTERVAL,
    'snapshot-interval': '6h',
    retention: '24h',
    ...(target.s3Endpoint === null ? {} : { endpoint: target.s3Endpoint, 'force-path-style': true }),
    ...(target.s3Region === null ? {} : { region: target.s3Region }),
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

/** Whether the replica is reached over TLS, not as a folder. */
export function isRemote(target: ReplicaTarget): boolean {
  return target.url.reveal().startsWith('s3:');
}

/** Each epoch has a folder of its own, so that an earlier machine never writes into a later one's replica. */
function epochUrl(url: string, epoch: number): string {
  return `${url.replace(/\/+$/, '')}/epoch-${epoch}`;
}

/** Runs Litestream on the database and its replica. @throws {ReplicaError} */
async function run(
  target: ReplicaTarget,
  job: LitestreamJob,
  { args, ...limits }: { readonly args: readonly string[] } & Omit<LitestreamRun, 'config' | 'isRemote'>,
): Promise<{ stdout: string }> {
  const [command = '', ...more] = args;
  const all = [command, '-no-expand-env', '-config', '/dev/stdin', ...more];
  return runLitestream(all, { config: litestreamConfig(target, job), isRemote: isRemote(target), ...limits });
}

/**
 * The content of the replica for an epoch, read from the storage itself.
 * @throws {ReplicaError} if the storage cannot be read.
 */
export async function readGenerations(
  target: ReplicaTarget,
  epoch: number,
  timeoutMs = READ_TIMEOUT_MS,
): Promise<Generations> {
  // Litestream requires an existing database and does not open it for this.
  const path = process.execPath;
  const job = { epoch, databasePath: path };
  const { stdout } = await run(target, job, { args: ['generations', path], timeoutMs });
  const [, ...lines] = stdout.trim().split('\n');
  // A generation whose first snapshot is not complete has the year 1.
  const found = lines
    .map((line) => parseGeneration(line))
    .filter(({ newestAt }) => newestAt > 0)
    .toSorted((a, b) => b.newestAt - a.newestAt);
  return { count: lines.length, found };
}

const generationSchema = z.object({ name: z.string().regex(/^[0-9a-f]{16}$/), end: z.iso.datetime() });

/** Of the columns replica, generation, lag, start, end. @throws {ReplicaError} */
function parseGeneration(line: string): Generation {
  const columns = line.trim().split(/\s+/);
  const parsed = generationSchema.safeParse({ name: columns[1], end: columns.at(-1) });
  if (!parsed.success) throw new ReplicaError('Litestream responded in an unknown form');
  return { name: parsed.data.name, newestAt: Date.parse(parsed.data.end) };
}

/** Restores the newest state of a generation into a new file. @throws {ReplicaError} */
export async function restoreGeneration(
  target: ReplicaTarget,
  { epoch, generation }: GenerationName,
  path: string,
): Promise<void> {
  const job = { epoch, databasePath: path };
  const args = ['restore', '-generation', generation, '-o', path, path];
  await run(target, job, { args, timeoutMs: null });
}

/** Replicates while the work runs. @throws {ReplicaError} if Litestream ends before it */
export async function whileReplicating<T>(
  target: ReplicaTarget,
  job: LitestreamJob,
  work: () => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  const limits = { timeoutMs: null, signal: stopping.signal };
  const replicating = run(target, job, { args: ['replicate'], ...limits });
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
