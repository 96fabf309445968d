import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The statements of schema.sql, which lies beside this file, and beside the program when that was built. */
export function readSchema(): string[] {
  const text = readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8');
  // A statement begins at the start of a line with CREATE; a trigger has statements in it, which are indented.
  return text.split(/^(?=CREATE )/m).slice(1);
}
