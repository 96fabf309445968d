import { readMeta, writeMeta } from '../store/meta.ts';
import type { Db } from '../store/sqlite/database.ts';

const KEY = 'copy_check';

/** Records that the database came from a replica and that its file is not checked completely yet. */
export async function markCopyUnchecked(db: Db): Promise<void> {
  await writeMeta(db, KEY, 'due');
}

export async function isCopyUnchecked(db: Db): Promise<boolean> {
  return (await readMeta(db, KEY)) === 'due';
}

export async function markCopyChecked(db: Db): Promise<void> {
  await writeMeta(db, KEY, 'done');
}
