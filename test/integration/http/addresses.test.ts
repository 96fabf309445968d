/** Every request path and host gets an answer without an external redirect, and errors are the client's. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/app/logger.ts';
import { Till } from '../../_helpers/till.ts';

const lines: string[] = [];
let till: Till;
beforeAll(async () => {
  till = await Till.start({}, { logger: createLogger('debug', { write: (line) => void lines.push(line) }) });
});
afterAll(async () => till.end());

/** The answer to a request by hand: clients tidy up what they are given. */
async function ask(method: string, target: string, headers = 'Host: till'): Promise<string> {
  const { hostname, port } = new URL(till.api.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(10_000, () => socket.destroy());
  let text = '';
  socket.on('data', (part) => (text += part.toString('latin1')));
  socket.write(
    `${method} ${target} HTTP/1.1\r\n${headers}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  );
  await once(socket, 'close');
  return text;
}

const TOKEN = 'a'.repeat(43);

describe.each(['GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE'])('the HTTP server on a %s request', (method) => {
  it.each([
    'http://evil.example/connect?a=1',
    'http://[/connect',
    'http://user@[/checkout/a',
    '//',
    '//evil.example/connect',
    '*',
    '/connect?%',
    '/connect?%0d%0aSet-Cookie:a=1',
    '/connect?__proto__=1',
    '/dashboard/%00',
    '/checkout/%2e%2e%2f',
    '/checkout/__proto__/state',
    '/checkout/x/state?lang=constructor',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/../../package.json',
    '/assets/..\\..\\package.json',
    '/assets/.vite/manifest.json',
    '/l/%E0%A4%A',
    '/l/__proto__?embed=constructor',
    '/l/a?lang[]=x&lang=y',
    '/pos/%',
    `/r/${TOKEN}?lang=constructor`,
    '/r/%E0',
    '/docs?lang=toString',
    '/payment/list/../create',
    '/merchant/events?after=0&after=1',
    '/?__proto__[x]=1',
  ])(
    'answers the target %s without a redirect to another host and without an internal error',
    async (target) => {
      const before = lines.length;
      const answer = await ask(method, target);
      const status = Number(answer.split(' ')[1]);
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(500);
      expect(answer).not.toMatch(/"devDependencies"|"isEntry"|^set-cookie:/im);
      const location = /^location: (.*)/im.exec(answer)?.[1];
      if (location !== undefined) expect(location).toMatch(/^\/(dashboard|$)/);
      const trouble = lines.slice(before).filter((line) => /"level":"(warn|error)"/.test(line));
      expect(trouble).toEqual([]);
    },
  );
});

it.each(['/', '/connect?a=1', '/dashboard', '/docs', '/openapi.json', '/pay.js', '/checkout/pay_none'])(
  'the HTTP server copies no host of the request headers into its response to %s',
  async (target) => {
    const headers = ['Host: evil.example', 'X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: gopher'];
    const answer = await ask('GET', target, [...headers, 'Forwarded: host=evil.example'].join('\r\n'));
    expect(Number(answer.split(' ')[1])).toBeLessThan(500);
    expect(answer).not.toMatch(/evil\.example|gopher/);
  },
);
