import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import express, { type Router, type RequestHandler } from 'express';
import { z } from 'zod';
import { ConstantText } from '../server/constant-text.ts';
import { chooseEncoding, type Encoding } from '../server/content-encoding.ts';
import { strictRouter } from '../server/strict-router.ts';

/** The result of the build of src/web: file locations and their names in the pages. */
export interface WebAssets {
  readonly directory: string;
  /** The dashboard's document; null when the web part was not built. */
  readonly dashboard: string | null;
  /** Paths of the checkout's files; null without a build, when the page works without them. */
  readonly checkout: { readonly script: string; readonly styles: readonly string[] } | null;
  /** Paths of the counter's files, and the text of its service worker; null without a build. */
  readonly counter: {
    readonly script: string;
    readonly styles: readonly string[];
    readonly worker: string;
  } | null;
  /** The text of `/pay.js`; null without a build. */
  readonly embed: string | null;
  /** Path of the script of the reference at /docs; null without a build, when the page works without it. */
  readonly docsScript: string | null;
}

const YEAR_SECONDS = 31_536_000;
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;
const CHECKOUT_ENTRY = 'checkout/main.ts';
const COUNTER_ENTRY = 'counter/main.ts';
const WORKER_ENTRY = 'counter/worker.ts';
const EMBED_ENTRY = 'embed/pay.ts';
const DOCS_ENTRY = 'docs/main.ts';

const manifestSchema = z.record(
  z.string(),
  z.object({ file: z.string(), css: z.array(z.string()).default([]) }),
);

/** Reads the build once, at start. @param directory output of `npm run build` (dist/web) */
export function loadWebAssets(directory: string): WebAssets {
  const manifest = readText(join(directory, '.vite/manifest.json'));
  if (manifest === null)
    return { directory, dashboard: null, checkout: null, counter: null, docsScript: null, embed: null };
  const entries = manifestSchema.parse(JSON.parse(manifest));
  const { [CHECKOUT_ENTRY]: entry, [DOCS_ENTRY]: docs, [EMBED_ENTRY]: embed } = entries;
  return {
    directory,
    dashboard: readText(join(directory, 'dashboard/index.html')),
    checkout:
      entry === undefined ? null : { script: `/${entry.file}`, styles: entry.css.map((file) => `/${file}`) },
    counter: loadCounter(directory, entries),
    embed: embed === undefined ? null : wrapped(readText(join(directory, embed.file)) ?? ''),
    docsScript: docs === undefined ? null : `/${docs.file}`,
  };
}

type Manifest = z.infer<typeof manifestSchema>;

function loadCounter(directory: string, entries: Manifest): WebAssets['counter'] {
  const { [COUNTER_ENTRY]: entry, [WORKER_ENTRY]: worker } = entries;
  if (entry === undefined || worker === undefined) return null;
  const files = { script: `/${entry.file}`, styles: entry.css.map((file) => `/${file}`) };
  // Relative to the worker's own address, below any base path. Another build is another worker, with its own cache.
  const shell = JSON.stringify([files.script, ...files.styles].map((path) => `..${path}`));
  const script = readText(join(directory, worker.file)) ?? '';
  return { ...files, worker: `const SHELL=${shell};\n${wrapped(script)}` };
}

/** A classic script in strict mode that adds no name to the page that loads it. */
function wrapped(module: string): string {
  return `(()=>{"use strict";${module.trim()}\n})();\n`;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * The files of the pages. Names contain a hash of the content, so caches may keep them indefinitely;
 * `/pay.js` has a fixed name.
 */
export function assetsRouter({ directory, embed }: WebAssets): Router {
  const router = strictRouter();
  if (embed !== null) router.get('/pay.js', embedScript(embed));
  const files = { index: false, redirect: false, dotfiles: 'ignore' } as const;
  router.use(
    '/assets',
    servePacked(join(directory, 'assets')),
    express.static(join(directory, 'assets'), { ...files, immutable: true, maxAge: YEAR_SECONDS * 1000 }),
  );
  router.get('/icon.svg', (_req, res, next) => {
    res.sendFile('icon.svg', { root: directory, maxAge: DAY_SECONDS * 1000 }, (error?: Error) => {
      if (error !== undefined && !res.headersSent) next();
    });
  });
  return router;
}

const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/**
 * Replaces a file by the compressed one that the build wrote next to it, which is then served like a file of its own: with
 * ranges, conditions and HEAD. The ETag is the name, because that contains a hash of the content.
 */
function servePacked(directory: string): RequestHandler {
  const files = new Set(listFiles(directory));
  return (req, res, next) => {
    const name = req.path.slice(1);
    if (!files.has(`${name}.br`) || !files.has(`${name}.gz`)) return next();
    res.vary('Accept-Encoding');
    res.type(extname(name));
    const encoding = chooseEncoding(req.headers['accept-encoding']);
    const suffix = encoding === null ? '' : SUFFIXES[encoding];
    res.setHeader('ETag', `"${name}${suffix}"`);
    if (encoding !== null) res.setHeader('Content-Encoding', encoding);
    req.url = `/${name}${suffix}`;
    next();
  };
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Loaded by pages of shops from any origin. */
function embedScript(text: string): RequestHandler {
  const script = new ConstantText(text);
  return async (_req, res) => {
    res.set({
      'Cache-Control': `public, max-age=${HOUR_SECONDS}`,
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    await script.send(res.type('text/javascript'));
  };
}
