import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { readBasePath, prefixLinks } from '../../../src/http/server/base-path.ts';
import { html } from '../../../src/http/pages/html.ts';
import { createSessionCookie } from '../../../src/http/server/session-cookie.ts';

describe('readBasePath', () => {
  it('returns the path of the public address without a slash at its end', () => {
    expect(readBasePath('https://pay.example')).toBe('');
    expect(readBasePath('https://pay.example/')).toBe('');
    expect(readBasePath('https://pay.example/a/till/')).toBe('/a/till');
  });
});

describe('prefixLinks', () => {
  it('adds the base path to links of this server, and to no other address', () => {
    const page =
      '<a href="/docs">x</a><img src="/icon.svg"><form action="/l/a"><a href="//cdn.example"><a href="https://shop.example/"><a href="#top">';
    expect(prefixLinks(page, '/till')).toBe(
      '<a href="/till/docs">x</a><img src="/till/icon.svg"><form action="/till/l/a"><a href="//cdn.example"><a href="https://shop.example/"><a href="#top">',
    );
    expect(prefixLinks(page, '')).toBe(page);
  });

  it('leaves text unchanged that a shop wrote', () => {
    const text = html`<p>${'a href="/docs"'}</p>`.toString();
    expect(prefixLinks(text, '/till')).toBe(text);
  });
});

describe('createSessionCookie', () => {
  it.each([
    ['https://pay.example', '__Host-tilld', '/'],
    ['https://pay.example/a/till', '__Secure-tilld_a_till', '/a/till'],
    ['http://localhost:3000', 'tilld_session_3000', '/'],
    ['http://localhost:3000/till', 'tilld_session_3000_till', '/till'],
  ])('limits the cookie of %s to its path', (baseUrl, name, path) => {
    const header = createSessionCookie(baseUrl).set('t', 1000)['Set-Cookie'];
    expect(header).toMatch(new RegExp(`^${name}=t; Max-Age=1; Path=${path}; HttpOnly`));
  });
});

describe('TILLD_BASE_URL', () => {
  it.each(['https://pay.example/a%20b', 'https://pay.example/a//b'])(
    'is rejected for the invalid path in %s',
    (url) => {
      expect(() => loadConfig({ env: { TILLD_BASE_URL: url }, cwd: process.cwd() })).toThrow(
        'TILLD_BASE_URL',
      );
    },
  );
});
