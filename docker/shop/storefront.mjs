import { readFileSync } from 'node:fs';

const FILES = {
  '/': ['storefront.html', 'text/html; charset=utf-8'],
  '/shopkeeper': ['shopkeeper.html', 'text/html; charset=utf-8'],
  '/shopkeeper.js': ['shopkeeper.js', 'text/javascript; charset=utf-8'],
  '/api.js': ['api.js', 'text/javascript; charset=utf-8'],
  '/storefront.js': ['storefront.js', 'text/javascript; charset=utf-8'],
  '/storefront.css': ['storefront.css', 'text/css; charset=utf-8'],
};
const PAGES = Object.fromEntries(
  Object.entries(FILES).map(([path, [name, type]]) => [
    path,
    { type, body: readFileSync(new URL(name, import.meta.url)) },
  ]),
);
const POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Serves the pages of the shop; everything else is Vendure's. */
export function storefront(request, response, next) {
  const page = request.method === 'GET' ? PAGES[request.path] : undefined;
  if (page === undefined) {
    next();
    return;
  }
  response.set({ 'Content-Type': page.type, 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' });
  response.send(page.body);
}
