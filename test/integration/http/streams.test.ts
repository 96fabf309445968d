/** Answers that are streamed: as fast as the client takes them, whole or visibly broken off. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/domain/errors.ts';
import { defineRoute } from '../../../src/http/server/route.ts';
import { sendStream } from '../../../src/http/server/send-stream.ts';
import { listInEnvelope, StreamReply } from '../../../src/http/server/stream-reply.ts';
import { newMerchant, newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { eventually } from '../../_helpers/poll.ts';

const PAGE = Array.from({ length: 1_000 }, (_, at) => ({ at, text: 'x'.repeat(90) }));

/** What the route under test reads, and how far it got. */
let source: (signal: { stopped: boolean }) => AsyncGenerator<readonly object[], void>;
let reading = { stopped: false };
let app: HttpApp;

const route = defineRoute({
  method: 'GET',
  path: '/test/stream',
  summary: 'A stream',
  description: 'A stream',
  tags: ['Payments'],
  auth: 'none',
  scope: 'never',
  status: 200,
  streamsAs: { 'text/csv': 'a' },
  errors: ['INVALID_STATE'],
  data: z.object({ items: z.array(z.object({})) }),
  handler: async () => {
    reading = { stopped: false };
    return new StreamReply('application/json', listInEnvelope('items', source(reading)));
  },
});

/** The same for those who show a key. */
const books = defineRoute({
  method: 'GET',
  path: '/test/books',
  summary: 'A stream',
  description: 'A stream',
  tags: ['Payments'],
  auth: 'merchant',
  scope: 'payments:read',
  status: 200,
  streamsAs: { 'text/csv': 'a' },
  errors: [],
  data: z.object({ items: z.array(z.object({})) }),
  handler: async () => new StreamReply('application/json', listInEnvelope('items', source(reading))),
});

beforeAll(async () => {
  app = await startHttpApp({ extraRoutes: [route, books] });
});
afterAll(async () => app.destroy());

/** Refuses before it gives anything. */
async function* refusing(): AsyncGenerator<readonly object[], void> {
  if (reading.stopped) yield [];
  throw new AppError('INVALID_STATE', 'not now');
}

/** So many pages; says when it was left. */
function pages(count: number, onPage: (page: number) => void = () => {}) {
  return async function* (state: { stopped: boolean }) {
    try {
      for (let page = 1; page <= count; page += 1) {
        onPage(page);
        yield PAGE;
      }
    } finally {
      state.stopped = true;
    }
  };
}

/** A request by hand, of any version of HTTP; nothing is read before the test does. */
async function open(version: '1.0' | '1.1', method = 'GET'): Promise<Socket> {
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`${method} /test/stream HTTP/${version}\r\nHost: shop.example\r\nConnection: close\r\n\r\n`);
  return socket;
}

/** Everything that comes until the end, and how it ended. */
async function readAll(socket: Socket): Promise<{ text: string; ending: 'end' | 'reset' }> {
  let text = '';
  socket.on('data', (part) => (text += part.toString('utf8')));
  const ended = once(socket, 'end').then(() => 'end' as const);
  const reset = once(socket, 'error').then(() => 'reset' as const);
  socket.resume();
  const ending = await Promise.race([ended, reset]).catch(() => 'reset' as const);
  socket.destroy();
  return { text, ending };
}

it('a streamed list has the usual JSON envelope', async () => {
  source = pages(3);
  const response = await fetch(`${app.baseUrl}/test/stream`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('x-request-id')).not.toBeNull();
  expect(await response.json()).toEqual({
    success: true,
    error: null,
    data: { items: [...PAGE, ...PAGE, ...PAGE] },
  });
});

it('a streamed list is empty when there are no rows', async () => {
  source = async function* () {
    yield [];
  };
  expect(await (await fetch(`${app.baseUrl}/test/stream`)).json()).toMatchObject({ data: { items: [] } });
});

it('a streamed list sends only the headers for HEAD', async () => {
  source = pages(1_000);
  const { text } = await readAll(await open('1.1', 'HEAD'));
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text.endsWith('\r\n\r\n')).toBe(true);
  expect(reading.stopped).toBe(true);
});

it('a streamed list answers an error before the first chunk in the usual format', async () => {
  source = async function* () {
    yield* refusing();
  };
  const response = await fetch(`${app.baseUrl}/test/stream`);
  expect(response.status).toBe(409);
  expect(await response.json()).toMatchObject({
    success: false,
    error: { code: 'INVALID_STATE' },
    data: null,
  });
});

it('a streamed list is aborted by an error after the first chunk', async () => {
  source = async function* () {
    yield PAGE;
    throw new Error('the disk is gone');
  };
  const response = await fetch(`${app.baseUrl}/test/stream`);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  expect(app.logs.join('\n')).toMatch(/HTTP response interrupted before its end/);
  for (const version of ['1.0', '1.1'] as const) {
    const { text, ending } = await readAll(await open(version));
    // An HTTP/1.0 client knows no other sign than the reset; chunked ones miss the last chunk, too.
    if (version === '1.0') expect(ending).toBe('reset');
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
  }
});

it.each(['deleted', 'expired'])(
  'a streamed list is aborted once the key of the request is %s',
  async (how) => {
    const { token } = await newUser(app);
    const { id: merchantId } = await newMerchant(app, token);
    const expiresAt = new Date(app.now() + 60_000).toISOString();
    const { key } = await app.api.must<{ key: { id: string; value: string } }>(
      'POST',
      '/merchant/keys/create',
      {
        token,
        body: { merchantId, name: 'Bookkeeping', scopes: ['payments:read'], expiresAt },
      },
    );
    const ask = async () =>
      fetch(`${app.baseUrl}/test/books`, { headers: { authorization: `Bearer ${key.value}` } });
    let read = 0;
    const reached = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    source = async function* () {
      for (; read < 1_000; read += 1) {
        if (read === 3) {
          reached.resolve();
          await ended.promise;
        }
        yield PAGE;
      }
    };
    const answer = ask().then(async (response) => response.text());
    const broken = expect(answer).rejects.toThrow();
    await reached.promise;
    if (how === 'expired') app.advance(60_000);
    else {
      const body = { merchantId, keyId: key.id };
      await app.api.must('DELETE', '/merchant/keys/delete', { token, body });
    }
    ended.resolve();
    await broken;
    expect(read).toBe(3);
    expect((await ask()).status).toBe(401);
    expect(
      app.logs.filter((line) => line.includes('"level":"error"') && line.includes('/test/books')),
    ).toEqual([]);
  },
);

it('a streamed list is read from the database at the speed of the client, and no further once the client disconnects', async () => {
  let read = 0;
  source = pages(10_000, (page) => (read = page));
  const socket = await open('1.1');
  let before = -1;
  // What the buffers of the connection hold, a few megabytes of this gigabyte.
  await eventually(
    'the server to wait for the client',
    async () => {
      const same = read === before && read > 0;
      before = read;
      return same;
    },
    (isSame) => isSame,
  );
  expect(read).toBeLessThan(500);
  const stoodAt = read;
  socket.resume();
  await eventually(
    'it to go on',
    async () => read,
    (now) => now > stoodAt + 100,
  );
  socket.destroy();
  await eventually(
    'it to stop',
    async () => reading.stopped,
    (isStopped) => isStopped,
  );
  expect(read).toBeLessThan(10_000);
});

it('a streamed list lets other requests be processed between two chunks', async () => {
  source = pages(300);
  const all = fetch(`${app.baseUrl}/test/stream`).then(async (response) => response.text());
  const order: string[] = [];
  void all.then(() => order.push('all'));
  await fetch(`${app.baseUrl}/healthz`);
  order.push('other');
  await all;
  expect(order).toEqual(['other', 'all']);
});

it('a streamed list is aborted when the client stops reading for too long', async () => {
  let isStopped = false;
  const errors: unknown[] = [];
  const server = createServer((req, res) => {
    const read = pages(10_000)({
      set stopped(value: boolean) {
        isStopped = value;
      },
      get stopped() {
        return isStopped;
      },
    });
    const logger = { debug() {}, info() {}, warn() {}, error: (fields: object) => void errors.push(fields) };
    const reply = new StreamReply('application/json', listInEnvelope('items', read));
    const options = { logger, requestId: 'one', path: '/', stalledMs: 100 };
    void sendStream(Object.assign(res, { req }) as never, reply, options);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n');
    await eventually(
      'it to stop',
      () => isStopped,
      (stopped) => stopped,
    );
    expect(String((errors[0] as { err: Error }).err)).toContain('the client read nothing for 0.1 s');
    expect((await readAll(socket)).ending).toBe('reset');
  } finally {
    socket.destroy();
    server.close();
  }
});
