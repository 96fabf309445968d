import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest directory above with a package.json: the same from src/ and from the build. */
export function packageRoot(): string {
  let at = import.meta.dirname;
  while (!existsSync(join(at, 'package.json')) && dirname(at) !== at) at = dirname(at);
  return at;
}
