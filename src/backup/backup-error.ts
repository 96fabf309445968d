/** A backup cannot be made or used. The message is for the operator and holds no secret. */
export class BackupError extends Error {
  override name = 'BackupError';
}
