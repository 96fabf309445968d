import {
  appendRevocations,
  readRevocations,
  revocationPath,
  writeRevocations,
} from '../backup/revocation-file.ts';
import type { Config } from '../config/config.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import { readMeta, writeMeta } from '../store/meta.ts';
import {
  allRevocations,
  deleteSessionRevocations,
  revocationsAfter,
  type Revocation,
} from '../store/revocations.ts';
import type { Db } from '../store/sqlite/database.ts';
import { applyRevocations, suspendShops } from '../usecases/accounts/index.ts';
import type { Keyring } from '../wallet/keyring.ts';
import { createSecretBox } from '../wallet/secret-box.ts';
import { Scheduler } from '../scheduler/scheduler.ts';

const FLUSH_EVERY_MS = 1_000;
const BATCH = 1_000;
/** Longer than the lifetime of a session, after which its revocation has no effect. */
const SESSIONS_KEPT_MS = 8 * 24 * 3_600_000;
const META = 'revocations';
const SUSPENDED =
  'secret keys, keys with wallet:send and members are suspended until the owner of each shop confirms them ' +
  '(dashboard, or tillctl users confirm-keys), and all sessions have ended';

interface Deps {
  readonly config: Config;
  readonly db: Db;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The list of revocations outside of the database. If the list contains revocations that the database lacks,
 * the database is an older copy, and the start applies them. If the list is missing, the start suspends the
 * shops, because revocations since then are unknown. From then on each revocation is in the file within a
 * second.
 */
export class RevocationList {
  readonly #jobs: Scheduler;
  readonly #db: Db;
  readonly #path: string;
  #seq = 0;

  private constructor({ db, logger }: Deps, path: string) {
    this.#db = db;
    this.#path = path;
    this.#jobs = new Scheduler(logger).every('revocations', FLUSH_EVERY_MS, async () => this.flush());
  }

  /** @throws {BackupError} if the file is damaged. */
  static async open(deps: Deps): Promise<RevocationList> {
    const { config, db, keyring, clock, logger } = deps;
    const path = revocationPath(config.dataDir, keyring.fingerprint);
    const now = clock.now();
    const isRecent = ({ kind, at }: Revocation): boolean => kind !== 'session' || at > now - SESSIONS_KEPT_MS;
    await deleteSessionRevocations(db, now - SESSIONS_KEPT_MS);
    const listed = readRevocations(path)?.filter(isRecent) ?? null;
    if (listed !== null) {
      const { counts, unknownKinds } = await applyRevocations(
        { db, secretBox: createSecretBox(keyring) },
        listed,
        now,
      );
      if (counts.size > 0)
        logger.error(
          Object.fromEntries(counts),
          'database is older than the list of revoked keys and sessions; later revocations applied again',
        );
      if (unknownKinds.length > 0)
        logger.error({ unknownKinds }, `list of revocations has kinds of a newer release; ${SUSPENDED}`);
    } else if ((await readMeta(db, META)) !== null) {
      await db.transaction(async (tx) => suspendShops(tx, now));
      logger.error({ path }, `list of revocations missing; ${SUSPENDED}`);
    }
    const list = new RevocationList(deps, path);
    const all = await allRevocations(db);
    writeRevocations(path, all);
    list.#seq = all.at(-1)?.seq ?? 0;
    await writeMeta(db, META, 'kept');
    return list;
  }

  start(): void {
    this.#jobs.start();
  }

  async stop(): Promise<void> {
    await this.#jobs.stop();
    await this.flush();
  }

  /** Appends the revocations since the last call. */
  async flush(): Promise<void> {
    for (;;) {
      const rows = await revocationsAfter(this.#db, this.#seq, BATCH);
      const last = rows.at(-1);
      if (last === undefined) return;
      appendRevocations(this.#path, rows);
      this.#seq = last.seq;
    }
  }
}
