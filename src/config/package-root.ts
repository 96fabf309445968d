import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest directory above with a package.json: the same from src/ and from the build. */
export function packageRoot(): string {
  let at = import.meta.dirname;
  while (!existsSync(join(at, 'package.json')) && dirname(at) !== at) at = dirname(at);
  return at;
}

/** Where the pages lie that belong to this program: beside it when it was built, else in the build of its sources. */
export function webDirectory(): string {
  const beside = join(import.meta.dirname, 'web');
  return existsSync(join(beside, '.vite')) ? beside : join(packageRoot(), 'dist/web');
}
