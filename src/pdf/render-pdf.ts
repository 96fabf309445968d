import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { AppError } from '../domain/errors.ts';
import type { PrintDocument, RenderPdf } from '../domain/print-document.ts';

const FILE = import.meta.url.endsWith('.ts') ? './pdf-worker.ts' : './pdf-worker.js';
/** A page takes some milliseconds, and the fonts 100 ms. */
const LIMIT_MS = 30_000;
const MAX_WAITING = 20;
const HEAP_MB = 128;

/**
 * Renders each document in a thread of its own, one after the other: fonts and layout would block the event loop.
 * @throws {AppError} RATE_LIMITED where many wait
 */
export function createPdfRenderer(): RenderPdf {
  const queue = pLimit(1);
  return async (document) => {
    if (queue.pendingCount >= MAX_WAITING)
      throw new AppError('RATE_LIMITED', 'Many documents are being made: try again soon', {
        retryAfterMs: LIMIT_MS,
      });
    return queue(async () => render(document));
  };
}

async function render(document: PrintDocument): Promise<Uint8Array> {
  const worker = new Worker(new URL(FILE, import.meta.url), {
    workerData: document,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const timer = setTimeout(() => reject(new Error('rendering a PDF took too long')), LIMIT_MS);
  worker.on('message', (bytes: Uint8Array) => resolve(bytes));
  worker.on('error', reject);
  worker.on('exit', (code) => reject(new Error(`the PDF thread exited (${code})`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
