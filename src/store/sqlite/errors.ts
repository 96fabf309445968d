/** Whether SQLite did nothing, as another process has the lock that it takes. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

const FULL = new Set<unknown>(['SQLITE_FULL', 'ENOSPC', 'EDQUOT']);

/** Whether a write was taken back for want of room, by SQLite or of a file beside the database. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(error.code);
}

/** Error codes by which SQLite reports a broken UNIQUE constraint. */
export function isUniqueViolation(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}
