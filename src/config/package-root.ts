import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest directory above with a package.json: the same from src/ and from the build. */
export function packageRoot(): string {
  let at = import.meta.dirname;
  while (!existsSync(join(at, 'package.json')) && dirname(at) !== at) at = dirname(at);
  return at;
}

/** Version of the program, which package.json alone states. */
export function packageVersion(): string {
  const file = join(packageRoot(), 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** Program of one of the commands: in the build of this program, else its source. */
export function commandProgram(name: string): string {
  const built = join(import.meta.dirname, 'tools', `${name}.js`);
  return existsSync(built) ? built : join(packageRoot(), 'src/cli', `${name}.ts`);
}

/** Folder of the web pages: next to the program in a build, else in the build output of its sources. */
export function webDirectory(): string {
  const builtPages = join(import.meta.dirname, 'web');
  return existsSync(join(builtPages, '.vite')) ? builtPages : join(packageRoot(), 'dist/web');
}
