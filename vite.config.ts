import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** Compressing less than this saves nothing. */
const PACKED_FROM_BYTES = 1_024;

/** Writes FILE.br and FILE.gz next to each file with a hash in its name, for the daemon to serve as they are. */
function packAssets(): Plugin {
  return {
    name: 'pack-assets',
    writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((file) => file.startsWith('assets/'))) {
        const file = join(dir, name);
        const text = readFileSync(file);
        if (text.length < PACKED_FROM_BYTES) continue;
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
        writeFileSync(`${file}.br`, brotliCompressSync(text, { params }));
        writeFileSync(`${file}.gz`, gzipSync(text, { level: constants.Z_BEST_COMPRESSION }));
      }
    },
  };
}

/**
 * What every page of the dashboard needs, in two files: by default, parts that some pages share would be a file each,
 * and HTTP/1.1 loads six at a time. The entry runs before the texts are loaded, so it shares the libraries only.
 */
const FIRST_PARTS = [
  {
    name: 'libraries',
    test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\//,
    priority: 2,
  },
  {
    name: 'shared',
    test: /packages\/sdk\/src\/|src\/web\/(copy-text|chime)\.ts$|src\/i18n\/(currency-symbol|latin-digits|csv-cell)\.ts$|src\/web\/dashboard\/(load-later|contract|format|api\/(?!prefetch|had-session)|ui\/(?!dialog-view|toast-view|chart|qr))/,
    priority: 1,
  },
];

/** The parts that the dashboard always loads, by the names of their modules. */
const FIRST: ReadonlySet<string> = new Set(['start', 'app']);

/**
 * Names the files of the dashboard's first part in its document. Its entry loads that part by a script, after the texts
 * of the language, so the browser would find it only then, one round trip later.
 */
function preloadApp(): Plugin {
  return {
    name: 'preload-app',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const first = chunks.filter(({ name, isDynamicEntry }) => isDynamicEntry && FIRST.has(name));
        const files = new Set(first.flatMap(({ fileName, imports }) => [fileName, ...imports]));
        return [...files]
          .filter((file) => !html.includes(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
            injectTo: 'head' as const,
          }));
      },
    },
  };
}

/** Folders whose script is one file. */
const WHOLE = ['checkout', 'counter'].map((name) => ({
  name,
  sources: join(import.meta.dirname, `src/web/${name}/`),
}));

/**
 * Builds what the checkout and the counter share with the dashboard into their scripts once more: as a file of its own,
 * it would cost one round trip more.
 */
function scriptsInOneFile(): Plugin {
  return {
    name: 'scripts-in-one-file',
    enforce: 'pre',
    async resolveId(source, importer) {
      const whole = WHOLE.find(({ sources }) => importer?.startsWith(sources) === true);
      if (whole === undefined || !source.endsWith('.ts')) return null;
      const resolved = await this.resolve(source, importer, { skipSelf: true });
      if (resolved === null || resolved.id.startsWith(whole.sources)) return null;
      return { ...resolved, id: `${resolved.id}?${whole.name}` };
    },
  };
}

/** The dashboard, the script and style of the checkout and the script of the reference, for the daemon to serve from dist/web. */
export default defineConfig({
  root: 'src/web',
  base: '/',
  // The daemon may be served below a path: only its pages, whose links it writes, name files from the root.
  experimental: {
    renderBuiltUrl: (filename, { hostType }) => (hostType === 'html' ? `/${filename}` : { relative: true }),
  },
  define: { 'import.meta.env.VITE_TILLD_VERSION': JSON.stringify(version) },
  plugins: [scriptsInOneFile(), react(), tailwindcss(), preloadApp(), packAssets()],
  // Texts are looked up by key: a variable for each would only make the file longer.
  json: { namedExports: false },
  build: {
    outDir: join(process.env['TILLD_BUILD_DIR'] ?? join(import.meta.dirname, 'dist'), 'web'),
    emptyOutDir: true,
    manifest: true,
    // Data URLs and inlined scripts would not pass the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Compression takes most of the build, as it should.
      checks: { pluginTimings: false },
      input: {
        dashboard: 'src/web/dashboard/index.html',
        checkout: 'src/web/checkout/main.ts',
        counter: 'src/web/counter/main.ts',
        worker: 'src/web/counter/worker.ts',
        embed: 'src/web/embed/pay.ts',
        docs: 'src/web/docs/main.ts',
      },
      output: { codeSplitting: { groups: FIRST_PARTS, includeDependenciesRecursively: false } },
    },
  },
});
