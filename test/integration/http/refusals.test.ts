import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { connect, type Socket } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../src/http/route.ts';
import { startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { selfSigned } from '../../_helpers/self-signed.ts';

const SECRET = 'hunter2-of-the-client';
const plain = { summary: '', description: '', tags: [], auth: 'none', status: 200, errors: [] } as const;

let release: () => void = () => {};
let entered = Promise.withResolvers<void>();
const slow = defineRoute({
  ...plain,
  method: 'GET',
  path: '/test/slow',
  data: z.object({ done: z.boolean() }),
  handler: async () => {
    const held = Promise.withResolvers<void>();
    release = held.resolve;
    entered.resolve();
    await held.promise;
    return { done: true };
  },
});
const echo = defineRoute({
  ...plain,
  method: 'POST',
  path: '/test/echo',
  body: z.object({ text: z.string() }),
  data: z.object({ text: z.string() }),
  handler: async ({ body }) => body,
});

let app: HttpApp;
let port: number;

beforeAll(async () => {
  app = await startHttpApp({
    extraRoutes: [slow, echo],
    timeouts: { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 },
  });
  port = Number(new URL(app.baseUrl).port);
});
afterAll(async () => app.destroy());
beforeEach(() => {
  entered = Promise.withResolvers();
  app.logs.length = 0;
});

interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { success: boolean; error: { status: number; code: string } | null; data: unknown };
}

/** Everything that comes until the connection ends, as the answers that it holds. */
async function answersOn(socket: Socket): Promise<Told[]> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  let rest = Buffer.concat(chunks).toString();
  const answers: Told[] = [];
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((text) => [
        text.slice(0, text.indexOf(':')).toLowerCase(),
        text.slice(text.indexOf(':') + 2),
      ]),
    );
    const length = Number(headers['content-length']);
    const from = end + 4;
    answers.push({
      status: Number(line.split(' ')[1]),
      headers,
      body: JSON.parse(rest.slice(from, from + length)) as Told['body'],
    });
    rest = rest.slice(from + length);
  }
  return answers;
}

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

async function tell(text: string): Promise<Told[]> {
  const socket = await open();
  const told = answersOn(socket);
  socket.write(text);
  return told;
}

function expectRefusal(answer: Told | undefined, status: number, code: string): void {
  expect(answer?.status).toBe(status);
  expect(answer?.headers['x-request-id']).toMatch(/^[\w.:-]{8,}$/);
  expect(answer?.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer?.headers['x-content-type-options']).toBe('nosniff');
  expect(answer?.headers['connection']).toBe('close');
  expect(answer?.body).toMatchObject({ success: false, error: { status, code }, data: null });
}

const GET = 'GET /healthz HTTP/1.1\r\nHost: till\r\n';
const POST = 'POST /test/echo HTTP/1.1\r\nHost: till\r\nContent-Type: application/json\r\n';

describe('what the server refuses before it is a request', () => {
  it.each([
    ['no HTTP', `${SECRET}\r\n\r\n`, 400, 'VALIDATION_INVALID'],
    ['an unknown method', `BREW /${SECRET} HTTP/1.1\r\nHost: till\r\n\r\n`, 400, 'VALIDATION_INVALID'],
    ['a broken header', `${GET}Authorization ${SECRET}\r\n\r\n`, 400, 'VALIDATION_INVALID'],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'VALIDATION_INVALID'],
    ['headers without an end', `${GET}X-${SECRET}: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['headers that never end', `${GET}Authorization: Bearer ${SECRET}\r\n`, 408, 'REQUEST_TIMEOUT'],
    ['nothing at all', '', 408, 'REQUEST_TIMEOUT'],
  ])('%s is told in the form of the API, and closes the connection', async (_what, text, status, code) => {
    const answers = await tell(text);
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], status, code);
    const requestId = answers[0]?.headers['x-request-id'];
    const lines = app.logs.filter((line) => line.includes(String(requestId)));
    expect(lines).toHaveLength(1);
    expect(app.logs.join('\n')).not.toContain(SECRET);
  });

  it('a request without a Host, and one that expects what cannot be met', async () => {
    const [lacking] = await tell('GET /healthz HTTP/1.1\r\n\r\n');
    expectRefusal(lacking, 400, 'VALIDATION_INVALID');
    const [unmet] = await tell(`${GET}Expect: ${SECRET}\r\n\r\n`);
    expectRefusal(unmet, 417, 'EXPECTATION_FAILED');
    expect(app.logs.join('\n')).not.toContain(SECRET);
    expect(app.logs.join('\n')).toContain(String(unmet?.headers['x-request-id']));
    const older = await tell('GET /healthz HTTP/1.0\r\n\r\n');
    expect(older[0]?.status).toBe(200);
  });

  it('floods that go on after the refusal neither hold the connection nor are answered again', async () => {
    const socket = await open();
    const told = answersOn(socket);
    const flood = setInterval(() => socket.write(`${SECRET}\r\n`), 5);
    const answers = await told;
    clearInterval(flood);
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], 400, 'VALIDATION_INVALID');
    expect(app.logs).toHaveLength(1);
  });
});

describe('trouble in the body of a request', () => {
  it.each([
    [
      'a chunk that is none',
      `Transfer-Encoding: chunked\r\n\r\n5\r\n{"tex\r\nZZ${SECRET}\r\n`,
      400,
      'VALIDATION_INVALID',
    ],
    [
      'endless extensions of a chunk',
      `Transfer-Encoding: chunked\r\n\r\n5;${'x'.repeat(20_000)}\r\n`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['that never comes whole', `Content-Length: 90\r\n\r\n{"text":"${SECRET}`, 408, 'REQUEST_TIMEOUT'],
  ])('%s is the answer to that request, under its own id', async (_what, rest, status, code) => {
    const answers = await tell(`${POST}X-Request-Id: mine-${status}\r\n${rest}`);
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], status, code);
    expect(answers[0]?.headers['x-request-id']).toBe(`mine-${status}`);
    expect(app.logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    expect(app.logs.join('\n')).not.toContain(SECRET);
  });

  it('that was answered already brings no second answer', async () => {
    // Refused by its path, whatever comes behind.
    const answers = await tell(
      `POST /nowhere HTTP/1.1\r\nHost: till\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\nZZ\r\n\r\n`,
    );
    expect(answers.map(({ status }) => status)).toEqual([404]);
  });
});

describe('requests on one connection', () => {
  it('the answer to the first comes first, then the refusal of what came behind it', async () => {
    const socket = await open();
    const told = answersOn(socket);
    socket.write(`GET /test/slow HTTP/1.1\r\nHost: till\r\n\r\n${SECRET}\r\n\r\n`);
    await entered.promise;
    socket.write(SECRET);
    release();
    const [first, second, ...more] = await told;
    expect(first?.status).toBe(200);
    expect(first?.body.data).toEqual({ done: true });
    expectRefusal(second, 400, 'VALIDATION_INVALID');
    expect(more).toEqual([]);
  });

  it('one that was served does not change how the next is refused', async () => {
    const socket = await open();
    const told = answersOn(socket);
    socket.write(`${GET}\r\n`);
    await once(socket, 'data');
    socket.write(`${SECRET}\r\n\r\n`);
    const answers = await told;
    expect(answers).toHaveLength(2);
    expectRefusal(answers[1], 400, 'VALIDATION_INVALID');
  });
});

it('over TLS the same, and nothing to those who speak none', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tilld-refusals-'));
  const { cert, key } = selfSigned();
  const tls = { certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') };
  await writeFile(tls.certFile, cert);
  await writeFile(tls.keyFile, key, { mode: 0o600 });
  const secure = await startHttpApp({ tls });
  try {
    const at = { host: '127.0.0.1', port: Number(new URL(secure.baseUrl).port) };
    const socket = connectTls({ ...at, servername: 'localhost', ca: cert });
    await once(socket, 'secureConnect');
    const told = answersOn(socket);
    socket.write(`${SECRET}\r\n\r\n`);
    const answers = await told;
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], 400, 'VALIDATION_INVALID');
    const stranger = connect(at.port, at.host);
    const chunks: Buffer[] = [];
    stranger.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk));
    stranger.write(`${GET}\r\n`);
    await once(stranger, 'close');
    expect(Buffer.concat(chunks).toString('latin1')).not.toContain('HTTP/1.1');
  } finally {
    await secure.destroy();
    await rm(dir, { recursive: true, force: true });
  }
});
