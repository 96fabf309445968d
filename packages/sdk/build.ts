import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Writes dist: each entry for `import` and for `require`, with what they share, and the types for both. It takes its place when it is complete. */
const here = import.meta.dirname;
const work = mkdtempSync(join(here, '.build-'));
const made = join(work, 'dist');

const bundle = await rolldown({
  input: { index: join(here, 'src/index.ts'), shop: join(here, 'src/shop.ts') },
  platform: 'neutral',
  transform: { target: 'es2022' },
});
for (const [format, ending] of [
  ['esm', 'js'],
  ['cjs', 'cjs'],
] as const) {
  const names = { entryFileNames: `[name].${ending}`, chunkFileNames: `[name].${ending}` };
  await bundle.write({ dir: made, format, ...names, exports: 'named' });
}
await bundle.close();

execFileSync('tsc', ['-p', join(here, 'tsconfig.build.json'), '--outDir', made], { stdio: 'inherit' });
// TypeScript takes the types of `require` for CommonJS by the name of their file.
for (const name of readdirSync(made).filter((file) => file.endsWith('.d.ts'))) {
  const text = readFileSync(join(made, name), 'utf8');
  const importing = (ending: string): string => text.replaceAll(/(?<=['"]\.\/[\w-]+)\.ts(?=['"])/g, ending);
  writeFileSync(join(made, name), importing('.js'));
  writeFileSync(join(made, name.replace('.d.ts', '.d.cts')), importing('.cjs'));
}

const dist = join(here, 'dist');
const old = readdirSync(here).includes('dist');
if (old) renameSync(dist, join(work, 'old'));
renameSync(made, dist);
rmSync(work, { recursive: true });
