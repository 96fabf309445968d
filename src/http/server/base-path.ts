import type { RequestHandler, Response } from 'express';

/** The path of the public address: `/till` of `https://pay.example/till`, and empty for a host of its own. */
export function readBasePath(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

/**
 * Serves everything below the base path. All other code writes and reads paths without it: it is removed here from the
 * address of a request, and added to redirects here and to the links of pages by `prefixLinks`. A request without it is
 * served, too: of a proxy that removes it, or of a health check on this machine.
 */
export function mountAtBasePath(basePath: string): RequestHandler {
  return (req, res, next) => {
    res.locals['basePath'] = basePath;
    if (basePath === '') return next();
    const rest = withoutPrefix(req.url, basePath);
    if (rest !== null) {
      req.url = rest;
      req.originalUrl = rest;
    }
    const setLocation = res.location.bind(res);
    res.location = (url) => setLocation(isPath(url) ? basePath + url : url);
    next();
  };
}

/** A path of this server in an attribute. Inserted text has no unescaped quotation mark, so it is never one. */
const LINKS = /(\s(?:href|src|action)=")(?=\/(?!\/))/g;

/** Adds the base path to every link of a page, or of a part of one, to this server. */
export function prefixLinks(html: string, basePath: string): string {
  return basePath === '' ? html : html.replace(LINKS, `$1${basePath}`);
}

/**
 * A whole page as it is sent: its links have the base path, and it names the path to its scripts, which add it to the
 * addresses that they request.
 */
export function placePage(res: Response, page: string): string {
  const basePath: unknown = res.locals['basePath'];
  if (typeof basePath !== 'string' || basePath === '') return page;
  return prefixLinks(page, basePath).replace('<html ', `<html data-base="${basePath}" `);
}

function isPath(url: string): boolean {
  return url.startsWith('/') && !url.startsWith('//');
}

function withoutPrefix(url: string, basePath: string): string | null {
  if (!url.startsWith(basePath)) return null;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : null;
}
