import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { Router } from 'express';
import { z } from 'zod';

/** What the build of src/web left behind: where its files are and how the pages name them. */
export interface WebAssets {
  readonly directory: string;
  /** The dashboard's document; null when the web part was not built. */
  readonly dashboard: string | null;
  /** Paths of the checkout's files; null without a build, when the page works without them. */
  readonly checkout: { readonly script: string; readonly styles: readonly string[] } | null;
}

const YEAR_SECONDS = 31_536_000;
const DAY_SECONDS = 86_400;
const CHECKOUT_ENTRY = 'checkout/main.ts';

const manifestSchema = z.record(
  z.string(),
  z.object({ file: z.string(), css: z.array(z.string()).default([]) }),
);

/** Reads the build once, at start. @param directory what `npm run build` writes (dist/web) */
export function loadWebAssets(directory: string): WebAssets {
  const manifest = readText(join(directory, '.vite/manifest.json'));
  if (manifest === null) return { directory, dashboard: null, checkout: null };
  const entry = manifestSchema.parse(JSON.parse(manifest))[CHECKOUT_ENTRY];
  return {
    directory,
    dashboard: readText(join(directory, 'dashboard/index.html')),
    checkout:
      entry === undefined ? null : { script: `/${entry.file}`, styles: entry.css.map((file) => `/${file}`) },
  };
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** The files of both pages. Names carry a hash of the content, so they may be kept for ever. */
export function assetsRouter({ directory }: WebAssets): Router {
  const router = Router();
  const files = { index: false, redirect: false, dotfiles: 'ignore' } as const;
  router.use(
    '/assets',
    express.static(join(directory, 'assets'), { ...files, immutable: true, maxAge: YEAR_SECONDS * 1000 }),
  );
  router.get('/icon.svg', (_req, res, next) => {
    res.sendFile('icon.svg', { root: directory, maxAge: DAY_SECONDS * 1000 }, (error?: Error) => {
      if (error !== undefined && !res.headersSent) next();
    });
  });
  return router;
}
