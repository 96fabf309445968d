import type { Clock } from '../domain/ports.ts';
import type { Db } from '../store/sqlite/database.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { auditOperator, auditOperatorEverywhere } from '../usecases/accounts/index.ts';
import { createSecretBox } from '../wallet/secret-box.ts';
import { warn } from './command.ts';
import { daemonData } from './daemon-data.ts';
import { unlockKeyring } from './unlock-keyring.ts';

export interface FreezeDatabase {
  readonly db: Db;
  readonly clock: Clock;
  /** After the act: an emergency does not wait for the passphrase, which the audit log needs. */
  readonly noteInAudit: (merchantId: string | null, action: string) => Promise<void>;
}

/** Opens the database of the daemon for a command that freezes or unfreezes. */
export async function inFreezeDatabase(
  dataDir: string | undefined,
  act: (deps: FreezeDatabase) => Promise<void>,
): Promise<number> {
  const { config, file } = await daemonData(dataDir);
  const { db } = await openDatabase(file, { mayMigrate: false });
  const clock = { now: () => Date.now() };
  const noteInAudit: FreezeDatabase['noteInAudit'] = async (merchantId, action) => {
    const keyring = await unlockKeyring(config);
    try {
      const deps = { clock, secretBox: createSecretBox(keyring) };
      if (merchantId === null) return await auditOperatorEverywhere(db, deps, action);
      await db.transaction(async (tx) => auditOperator(tx, deps, { of: { merchantId }, action }));
    } finally {
      keyring.wipe();
    }
  };
  try {
    await act({
      db,
      clock,
      noteInAudit: async (merchantId, action) =>
        noteInAudit(merchantId, action).catch((error: unknown) =>
          warn(`done, but not in the audit log: ${error instanceof Error ? error.message : String(error)}`),
        ),
    });
    return 0;
  } finally {
    await db.close();
  }
}
