import { open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Clock, Logger } from '../../domain/ports.ts';
import { compareVersions, VERSION } from '../../domain/versions.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { guardedFetch, type EgressPolicy } from '../../egress/guarded-fetch.ts';
import { Scheduler, type Timing } from '../../scheduler/scheduler.ts';
import { readMeta, writeMeta } from '../../store/meta.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { verifySshSignature } from './ssh-signature.ts';

/** As `scripts/release` signs. Another namespace than that of the archives: neither signature is valid for the other. */
const TERMS = { identity: 'release', namespace: 'tilld-feed' };
const MAX_BYTES = 16_384;
const TIMEOUT_MS = 20_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The newest feed that was ever seen: an older one is a replay. */
const SEEN = 'update_feed';

const feedSchema = z.object({
  version: z.string().regex(VERSION).max(40),
  publishedAt: z.iso.datetime(),
  notesUrl: z.url({ protocol: /^https$/ }).max(300),
  security: z.boolean().default(false),
});
type Release = z.output<typeof feedSchema>;
const seenSchema = feedSchema.extend({ checkedAt: z.number() });
type Seen = z.output<typeof seenSchema>;

export interface UpdateFeedDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly egress: EgressPolicy;
  /** The version that runs. */
  readonly version: string;
  /** A URL, or the path of a file; its signature has the suffix `.sig`. */
  readonly feed: string;
  /** The file of allowed signers. */
  readonly signersFile: string;
  /** Another one for tests. */
  readonly timing?: Timing;
}

/** A feed that was read, and must not be used. */
class FeedError extends Error {
  override name = 'FeedError';
}

/**
 * Reads the signed feed of releases once a day, and knows whether a newer release than the running one exists. It
 * installs nothing: a wrong feed is a warning to the operator, an unreachable one is retried.
 */
export class UpdateFeed {
  readonly #deps: UpdateFeedDeps;
  readonly #jobs: Scheduler;
  #seen: Seen | null;
  #problem: string | null = null;

  private constructor(deps: UpdateFeedDeps, seen: Seen | null) {
    this.#deps = deps;
    this.#seen = seen;
    this.#jobs = new Scheduler(deps.logger, deps.timing).every(
      'update-feed',
      HOUR_MS,
      async (signal) => this.#checkIfDue(signal),
      { jitter: 0.1 },
    );
  }

  static async open(deps: UpdateFeedDeps): Promise<UpdateFeed> {
    const stored = await readMeta(deps.db, SEEN);
    return new UpdateFeed(deps, stored === null ? null : seenSchema.parse(JSON.parse(stored)));
  }

  start(): void {
    this.#jobs.start();
  }

  async stop(): Promise<void> {
    await this.#jobs.stop();
  }

  /** The newest release, if it is newer than the running one. */
  available(): Release | null {
    if (this.#seen === null || compareVersions(this.#seen.version, this.#deps.version) <= 0) return null;
    const { checkedAt: _, ...release } = this.#seen;
    return release;
  }

  /** For the operator. */
  warnings(): string[] {
    return this.#problem === null ? [] : [`the update feed is not used: ${this.#problem}`];
  }

  async #checkIfDue(signal: AbortSignal): Promise<void> {
    const sinceMs = this.#deps.clock.now() - (this.#seen?.checkedAt ?? Number.NEGATIVE_INFINITY);
    if (this.#problem === null && sinceMs >= 0 && sinceMs < DAY_MS) return;
    await this.check(signal);
  }

  /** Reads the feed now. */
  async check(signal?: AbortSignal): Promise<void> {
    const { logger } = this.#deps;
    try {
      await this.#use(await this.#read(signal));
      this.#problem = null;
    } catch (error) {
      if (signal?.aborted === true) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (!(error instanceof FeedError)) {
        logger.info({ reason }, 'update feed unreachable; will retry');
        return;
      }
      if (reason !== this.#problem) logger.warn({ reason }, 'update feed invalid; it is not used');
      this.#problem = reason;
    }
  }

  /** @throws {FeedError} unless it is signed; any other error where it cannot be read */
  async #read(signal?: AbortSignal): Promise<Release> {
    const { feed, signersFile } = this.#deps;
    const message = await this.#readPart('', signal);
    const armored = (await this.#readPart('.sig', signal)).toString();
    const allowedSigners = await readFile(signersFile, 'utf8').catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new FeedError(`the allowed signers cannot be read: ${why}`, { cause: error });
    });
    try {
      verifySshSignature({ message, armored, allowedSigners }, TERMS);
      return feedSchema.parse(JSON.parse(message.toString()));
    } catch (error) {
      const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
      throw new FeedError(`${feed}: ${why.slice(0, 300)}`, { cause: error });
    }
  }

  async #readPart(suffix: '' | '.sig', signal?: AbortSignal): Promise<Buffer> {
    const { feed, egress } = this.#deps;
    if (!URL.canParse(feed)) return readSmallFile(`${feed}${suffix}`);
    const url = new URL(feed);
    url.pathname += suffix;
    const { status, body, bodyEnd } = await guardedFetch(egress, {
      url: url.href,
      method: 'GET',
      headers: { 'user-agent': 'tilld', accept: '*/*' },
      maxBodyBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    if (bodyEnd === 'capped') throw new FeedError(`${url.host} sent more than ${MAX_BYTES} bytes`);
    if (status !== 200) throw new EgressError('network', `${url.host} answered ${status}`);
    if (bodyEnd !== 'whole') throw new EgressError('network', `the answer of ${url.host} is not complete`);
    return Buffer.from(body);
  }

  async #use(release: Release): Promise<void> {
    const { db, clock, feed, version } = this.#deps;
    const now = clock.now();
    const seen = this.#seen;
    // Such a feed would make every later one a replay.
    if (Date.parse(release.publishedAt) > now + DAY_MS)
      throw new FeedError(`${feed} is of ${release.publishedAt}, which is in the future`);
    const isOlder =
      seen !== null &&
      (Date.parse(release.publishedAt) < Date.parse(seen.publishedAt) ||
        compareVersions(release.version, seen.version) < 0);
    if (isOlder)
      throw new FeedError(`${feed} is older (${release.version}) than one seen before (${seen.version})`);
    // Until this daemon has a release that mends it, a later release mends it too.
    const isUnmended = seen !== null && seen.security && compareVersions(seen.version, version) > 0;
    const next = { ...release, security: release.security || isUnmended, checkedAt: now };
    await writeMeta(db, SEEN, JSON.stringify(next));
    this.#seen = next;
    if (seen?.version !== release.version && this.available() !== null)
      this.#deps.logger.info({ ...release }, 'newer release available');
  }
}

async function readSmallFile(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > MAX_BYTES)
      throw new FeedError(`${path} is not a file of at most ${MAX_BYTES} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
