/// <reference lib="webworker" />
/** The service worker: keeps the page of the counter and its files, so that the app opens without a connection. */

/** Paths of the page's files, from the daemon. */
declare const SHELL: readonly string[];

const worker = globalThis as unknown as ServiceWorkerGlobalScope;

/** Its name has the hashes of the files: another build has another cache. */
const CACHE = `counter ${SHELL.join(' ')}`;
const PAGE = new URL('./app', worker.location.href).href;
const FILES = new Set([...SHELL, './icon-192.png'].map((path) => new URL(path, worker.location.href).href));
/** A slow network is treated as none: the app shows at once, and its requests go on. */
const PAGE_LIMIT_MS = 4_000;

worker.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then(async (cache) => cache.addAll([PAGE, ...FILES]))
      .then(async () => worker.skipWaiting()),
  );
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then(async (names) =>
        Promise.all(
          names
            .filter((name) => name.startsWith('counter ') && name !== CACHE)
            .map(async (name) => caches.delete(name)),
        ),
      )
      .then(async () => worker.clients.claim()),
  );
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  if (request.mode === 'navigate') event.respondWith(freshPage(request));
  else if (FILES.has(request.url)) event.respondWith(keptFile(request));
});

/** The newest page, or the kept one without a connection. */
async function freshPage(request: Request): Promise<Response> {
  const kept = await caches.match(PAGE);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PAGE_LIMIT_MS) });
    if (answer.ok || kept === undefined) return answer;
    return kept;
  } catch (error) {
    if (kept !== undefined) return kept;
    throw error;
  }
}

async function keptFile(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}
