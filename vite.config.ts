import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** The dashboard, the script and style of the checkout and the script of the reference, for the daemon to serve from dist/web. */
export default defineConfig({
  root: 'src/web',
  base: '/',
  // The daemon may be served below a path: only its pages, whose links it writes, name files from the root.
  experimental: {
    renderBuiltUrl: (filename, { hostType }) => (hostType === 'html' ? `/${filename}` : { relative: true }),
  },
  define: { 'import.meta.env.VITE_TILLD_VERSION': JSON.stringify(version) },
  plugins: [react(), tailwindcss()],
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
      input: {
        dashboard: 'src/web/dashboard/index.html',
        checkout: 'src/web/checkout/main.ts',
        embed: 'src/web/embed/pay.ts',
        docs: 'src/web/docs/main.ts',
      },
    },
  },
});
