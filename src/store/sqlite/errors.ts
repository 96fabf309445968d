/** Whether SQLite did nothing because another process has the lock. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

const FULL = new Set<unknown>(['SQLITE_FULL', 'ENOSPC', 'EDQUOT']);

/**
 * Whether a write was rolled back for lack of disk space, reported by SQLite or for a file next to the
 * database.
 */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(error.code);
}

/** Whether SQLite reports a violated UNIQUE constraint. */
export function isUniqueViolation(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}
