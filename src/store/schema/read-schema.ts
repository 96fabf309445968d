import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The statements of schema.sql, located next to this file, or next to the built program. */
export function readSchema(): string[] {
  const text = readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8');
  // A statement begins at the start of a line with CREATE; statements inside a trigger are indented.
  return text.split(/^(?=CREATE )/m).slice(1);
}
