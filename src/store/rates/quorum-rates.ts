import { readMeta, writeMeta } from '../meta.ts';
import type { Db } from '../sqlite/database.ts';

const KEY = 'agreed_rates';

/** The text of the last agreed rates: one row, replaced at each write. */
export function quorumRatesStore(db: Db) {
  return {
    read: async () => readMeta(db, KEY),
    write: async (text: string) => writeMeta(db, KEY, text),
  };
}
