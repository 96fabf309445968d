import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { defineConfig } from 'rolldown';

const TOOLS = [
  'backup',
  'check',
  'reconcile',
  'rescan',
  'restore',
  'seed',
  'sends',
  'listen',
  'replicate',
  'promote',
  'users',
  'tillctl',
];

/**
 * The daemon and its commands, with what they use of the libraries in a few files. V8 keeps the text of
 * every module and an object for every function in it, used or not: without what is never called, without comments
 * and as one byte a character that is some 20 MB less for the process than the libraries as they are published, and
 * it starts sooner. Names and lines stay, so that a trace in the log can be read.
 */
export default defineConfig({
  input: {
    main: 'src/main.ts',
    'read-worker': 'src/store/sqlite/read-worker.ts',
    'pdf-worker': 'src/pdf/pdf-worker.ts',
    ...Object.fromEntries(TOOLS.map((name) => [`tools/${name}`, `src/cli/${name}.ts`])),
  },
  platform: 'node',
  // Native, or loaded by name and only when a live coin or a document needs it.
  plugins: [
    {
      name: 'store-files',
      generateBundle() {
        for (const path of ['src/store/schema/schema.sql', 'src/store/sqlite/json-dictionary.txt'])
          this.emitFile({ type: 'asset', fileName: basename(path), source: readFileSync(path) });
      },
    },
  ],
  external: ['argon2', 'better-sqlite3', 'secp256k1/bindings.js', '@solana/web3.js', 'pdfkit'],
  output: {
    dir: process.env['TILLD_BUILD_DIR'] ?? 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared-[name].js',
    charset: 'ascii',
    // The licenses of the libraries are next to them in node_modules, which is shipped as well.
    comments: false,
    minify: { compress: true, mangle: false, codegen: false },
    sourcemap: true,
  },
});
