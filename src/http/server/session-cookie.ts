import type { Request } from 'express';
import { AppError } from '../../domain/errors.ts';
import { readBasePath } from './base-path.ts';
import type { RenewedSession } from '../../usecases/accounts/index.ts';
import { isCrossSiteRequest, isOwnOrigin } from './csrf.ts';

/** The header by which a page of this server identifies itself; no other site can send it with the cookie. */
const CSRF_HEADER = 'X-Tilld-Dashboard';
const TOKEN = /^[0-9A-Za-z]{43}$/;

/** The cookie that holds the token of a dashboard session. */
export interface SessionCookie {
  /** The token of a request; null without one. */
  read(req: Request): string | null;
  /** Header that sets the cookie. */
  set(token: string, lifetimeMs: number): Readonly<Record<string, string>>;
  /** Header that sets the cookie to the new token of a session; none if there is no such token. */
  renew(renewed: RenewedSession | null, now: number): Readonly<Record<string, string>>;
  /** Header that deletes the cookie. */
  clear(): Readonly<Record<string, string>>;
  /**
   * Rejects a request that a page of another origin may have caused.
   * @throws {AppError} FORBIDDEN
   */
  assertSameOrigin(req: Request): void;
}

/**
 * @param baseUrl the public address: with https the cookie is sent over TLS only, and to this host alone.
 * Browsers share the cookies of a host among its ports, so the name contains the port and the path and two
 * daemons do not sign each other out
 */
export function createSessionCookie(baseUrl: string): SessionCookie {
  const { protocol, origin, port } = new URL(baseUrl);
  const basePath = readBasePath(baseUrl);
  const isSecure = protocol === 'https:';
  // Browsers accept __Host- for the path / only.
  const prefix = basePath === '' ? '__Host-tilld' : '__Secure-tilld';
  const place = [port, ...basePath.split('/')].filter((part) => part !== '');
  const name = [isSecure ? prefix : 'tilld_session', ...place].join('_');
  const attributes = `Path=${basePath === '' ? '/' : basePath}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const header = (value: string, seconds: number) => ({
    'Set-Cookie': `${name}=${value}; Max-Age=${seconds}; ${attributes}`,
  });
  return {
    read: (req) => {
      const values = (req.headers.cookie ?? '').split(';').flatMap((pair) => {
        const [key, value = ''] = pair.split('=', 2);
        return key?.trim() === name ? [value.trim()] : [];
      });
      // Two cookies of one name: a neighbouring site planted one of them, and they cannot be distinguished.
      const [token, ...others] = values;
      return token !== undefined && others.length === 0 && TOKEN.test(token) ? token : null;
    },
    set: (token, lifetimeMs) => header(token, Math.floor(lifetimeMs / 1000)),
    renew: (renewed, now) =>
      renewed === null ? {} : header(renewed.token, Math.floor((renewed.expiresAt - now) / 1000)),
    clear: () => header('', 0),
    assertSameOrigin: (req) => {
      const isOwn = isRead(req)
        ? !isCrossSiteRequest(req, origin)
        : hasHeader(req) && isSameOrigin(req, origin);
      if (isOwn) return;
      const message = `The session cookie counts for pages of this server only, which send ${CSRF_HEADER}`;
      throw new AppError('FORBIDDEN', message);
    },
  };
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function hasHeader(req: Request): boolean {
  return req.get(CSRF_HEADER) === '1';
}

/** Whether the browser's headers say that the page is of this origin; without them nothing is proven. */
function isSameOrigin(req: Request, baseOrigin: string): boolean {
  const site = req.get('Sec-Fetch-Site');
  if (site !== undefined) return site === 'same-origin';
  return isOwnOrigin(req, baseOrigin);
}
