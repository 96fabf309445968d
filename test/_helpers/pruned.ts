import { applyRetention } from '../../src/usecases/retention/index.ts';
import type { Db } from '../../src/store/sqlite/database.ts';
import { silent } from './wallet-world.ts';

/** Prunes a database at a time, by the retention of the default settings; what was pruned. */
export async function pruned(db: Db, now: number): Promise<Readonly<Record<string, number>>> {
  const policy = { auditDays: 90, logRetentionDays: 30, logMaxBytes: 1_000_000_000 };
  return applyRetention({ db, clock: { now: () => now }, logger: silent }, policy);
}
