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
    { type, body: readFileSync(new URL(name, import.meta.url), 'utf8') },
  ]),
);

/** Serves the pages of the shop, which embed tilld's checkout; Vendure serves all other paths. */
export function storefront(tilldUrl) {
  const policy = `default-src 'self'; script-src 'self' ${tilldUrl}; frame-src ${tilldUrl}; frame-ancestors 'none'; base-uri 'none'`;
  return (request, response, next) => {
    const page = request.method === 'GET' ? PAGES[request.path] : undefined;
    if (page === undefined) {
      next();
      return;
    }
    response.set({
      'Content-Type': page.type,
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-cache',
    });
    response.send(page.body.replaceAll('{tilld}', tilldUrl));
  };
}
