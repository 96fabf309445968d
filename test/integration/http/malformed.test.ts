import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { connect, type Socket } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../src/http/server/route.ts';
import { startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { selfSigned } from '../../_helpers/self-signed.ts';

const SECRET = 'hunter2-of-the-client';
const plain = {
  summary: '',
  description: '',
  tags: [],
  auth: 'none',
  scope: 'never',
  status: 200,
  errors: [],
} as const;

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
    extraRoutes: [echo],
    timeouts: { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 },
  });
  port = Number(new URL(app.baseUrl).port);
});
afterAll(async () => app.destroy());
beforeEach(() => {
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

function expectRefusal(answer: Told | undefined, status: number, code: string, { logs } = app): void {
  expect(answer?.status).toBe(status);
  expect(answer?.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer?.headers['x-content-type-options']).toBe('nosniff');
  expect(answer?.headers['connection']).toBe('close');
  const requestId = answer?.headers['x-request-id'];
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(logs.filter((line) => line.includes(`"requestId":"${requestId}"`))).toHaveLength(1);
  expect(answer?.body).toMatchObject({ success: false, error: { status, code }, data: null });
}

const GET = 'GET /healthz HTTP/1.1\r\nHost: till\r\n';
const POST = 'POST /test/echo HTTP/1.1\r\nHost: till\r\nContent-Type: application/json\r\n';

describe('the HTTP server on a malformed request', () => {
  it.each([
    ['no HTTP', `${SECRET}\r\n\r\n`, 400, 'VALIDATION_INVALID'],
    ['an unknown method', `BREW /${SECRET} HTTP/1.1\r\nHost: till\r\n\r\n`, 400, 'VALIDATION_INVALID'],
    ['a malformed header', `${GET}Authorization ${SECRET}\r\n\r\n`, 400, 'VALIDATION_INVALID'],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'VALIDATION_INVALID'],
    ['headers without an end', `${GET}X-${SECRET}: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['headers that never end', `${GET}Authorization: Bearer ${SECRET}\r\n`, 408, 'REQUEST_TIMEOUT'],
    ['an empty request', '', 408, 'REQUEST_TIMEOUT'],
  ])(
    'answers %s in the error format of the API, and closes the connection',
    async (_what, text, status, code) => {
      const answers = await tell(text);
      expect(answers).toHaveLength(1);
      expectRefusal(answers[0], status, code);
      expect(app.logs).toHaveLength(1);
      expect(app.logs.join('\n')).not.toContain(SECRET);
    },
  );

  it.each([
    ['a request without a Host', 'GET /healthz HTTP/1.1\r\n\r\n', 'host'],
    ['a request with an unsupported expectation', `${GET}Expect: ${SECRET}\r\n\r\n`, 'expect'],
  ])('rejects %s in the error format of the API, and closes the connection', async (_what, text, field) => {
    const answers = await tell(text);
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], 400, 'VALIDATION_INVALID');
    expect(answers[0]?.body.error).toMatchObject({ details: [{ field }] });
    expect(app.logs.join('\n')).not.toContain(SECRET);
  });

  it('accepts an HTTP/1.0 request without a Host', async () => {
    const [answer] = await tell('GET /healthz HTTP/1.0\r\n\r\n');
    expect(answer?.status).toBe(200);
  });

  it('closes the connection after the refusal although the client keeps sending', async () => {
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

describe('request smuggling', () => {
  const BODY = '{"text":"a"}';
  /** What a proxy that sees the end elsewhere would take for the body. */
  const HIDDEN = 'GET /healthz HTTP/1.1\r\nHost: till\r\nX-Hidden: 1\r\n\r\n';
  const chunked = `c\r\n${BODY}\r\n0\r\n\r\n`;
  it.each([
    ['a length and chunks', `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
    ['chunks and a length', `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunked}`],
    ['an unknown encoding after chunks', `Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`],
    ['an encoding that is almost chunked', `Transfer-Encoding: xchunked\r\n\r\n${chunked}`],
    ['a space before the colon', `Transfer-Encoding : chunked\r\n\r\n${chunked}`],
    ['a folded header', `Transfer-Encoding:\r\n chunked\r\nContent-Length: 4\r\n\r\n${chunked}`],
    ['two lengths in one header', `Content-Length: 12, 12\r\n\r\n${BODY}`],
    ['a length with a sign', `Content-Length: +12\r\n\r\n${BODY}`],
    ['a length in hexadecimal', `Content-Length: 0xc\r\n\r\n${BODY}`],
    ['a line that ends with LF alone', `Content-Length: 12\n\r\n${BODY}`],
    ['a carriage return within a header', `X-A: b\rContent-Length: 0\r\nContent-Length: 12\r\n\r\n${BODY}`],
    ['a chunk whose size overflows', 'Transfer-Encoding: chunked\r\n\r\n1000000000000000c\r\n'],
  ])('is prevented, and nothing after the first request is executed: %s', async (_what, rest) => {
    const answers = await tell(`${POST}${rest}${HIDDEN}`);
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], 400, 'VALIDATION_INVALID');
  });
});

describe('the HTTP server on a malformed body', () => {
  it.each([
    [
      'an invalid chunk',
      `Transfer-Encoding: chunked\r\n\r\n5\r\n{"tex\r\nZZ${SECRET}\r\n`,
      400,
      'VALIDATION_INVALID',
    ],
    [
      'endless chunk extensions',
      `Transfer-Encoding: chunked\r\n\r\n5;${'x'.repeat(20_000)}\r\n`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['a body that never completes', `Content-Length: 90\r\n\r\n{"text":"${SECRET}`, 408, 'REQUEST_TIMEOUT'],
  ])('answers that request with an error for %s', async (_what, rest, status, code) => {
    const answers = await tell(`${POST}${rest}`);
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], status, code);
    expect(app.logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    expect(app.logs.join('\n')).not.toContain(SECRET);
  });
});

describe('the HTTP server on a keep-alive connection', () => {
  it('rejects a malformed request that follows a valid one', async () => {
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

it('the HTTP server answers malformed requests over TLS with the same errors, and plain text over TLS not at all', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tilld-malformed-'));
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
    expectRefusal(answers[0], 400, 'VALIDATION_INVALID', secure);
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
