import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Writes dist: one file for `import` and one for `require`, and the types for both. */
const here = import.meta.dirname;
const dist = join(here, 'dist');
rmSync(dist, { recursive: true, force: true });

const bundle = await rolldown({
  input: join(here, 'src/index.ts'),
  platform: 'neutral',
  transform: { target: 'es2022' },
});
await bundle.write({ dir: dist, format: 'esm', entryFileNames: 'index.js' });
await bundle.write({ dir: dist, format: 'cjs', entryFileNames: 'index.cjs', exports: 'named' });
await bundle.close();

execFileSync('tsc', ['-p', join(here, 'tsconfig.build.json')], { stdio: 'inherit' });
// TypeScript takes the types of `require` for CommonJS by the name of their file.
for (const name of readdirSync(dist).filter((file) => file.endsWith('.d.ts'))) {
  const text = readFileSync(join(dist, name), 'utf8');
  const importing = (ending: string): string => text.replaceAll(/(?<=['"]\.\/[\w-]+)\.ts(?=['"])/g, ending);
  writeFileSync(join(dist, name), importing('.js'));
  writeFileSync(join(dist, name.replace('.d.ts', '.d.cts')), importing('.cjs'));
}
