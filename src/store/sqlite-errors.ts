/** Whether SQLite did nothing, as another process has the lock that it takes. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

/** Whether SQLite took a write back for want of room. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL';
}

/** Error codes by which SQLite reports a broken UNIQUE constraint. */
export function isUniqueViolation(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}
