import { chmodSync, writeFileSync } from 'node:fs';

/** Writes a file that only the current user can read. */
export function writePrivateFile(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  chmodSync(path, 0o600);
}
