import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createNodeClient } from '../../../../src/chains/utxo/rpc/node-client.ts';
import { RpcRefusal } from '../../../../src/chains/shared/json-rpc.ts';
import { createRpc } from '../../../../src/chains/utxo/rpc/rpc.ts';
import { createRpcTransport } from '../../../../src/chains/shared/rpc-transport.ts';
import { scanUnspent } from '../../../../src/chains/utxo/scan-unspent.ts';
import { ChainError } from '../../../../src/domain/chain.ts';

const HASH = 'ab'.repeat(32);

interface Call {
  id: number;
  method: string;
  params: unknown[];
}
type Handler = (call: { body: Call | Call[]; request: IncomingMessage; response: ServerResponse }) => void;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map(async (end) => end()));
});

/** A node that answers by hand, and the client under test on the other side. */
async function nodeWith(
  handler: Handler,
  options: { cookieFile?: string; timeoutMs?: number; maxResponseBytes?: number; user?: string } = {},
) {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      handler({ body: JSON.parse(Buffer.concat(chunks).toString()) as Call, request, response }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const lines: string[] = [];
  const log = (fields: object, message: string): void => void lines.push(JSON.stringify({ fields, message }));
  const user = options.user ?? 'alice:s3cret-p%40ss';
  const rpc = createRpc(
    createRpcTransport({
      url: `http://${user === '' ? '' : `${user}@`}127.0.0.1:${port}`,
      cookieFile: options.cookieFile,
      timeoutMs: options.timeoutMs ?? 2_000,
      maxResponseBytes: options.maxResponseBytes ?? 1_000_000,
      logger: { debug: log, info: log, warn: log, error: log },
    }),
  );
  cleanups.push(async () => {
    await rpc.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { rpc, lines, port, server };
}

function reply(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}

const answer = (call: Call, result: unknown) => ({ id: call.id, result, error: null });
const one = (body: Call | Call[]): Call => (Array.isArray(body) ? body[0]! : body);

async function failure(promise: Promise<unknown>): Promise<ChainError> {
  const error: unknown = await promise.then(
    () => new Error('it succeeded'),
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(ChainError);
  return error as ChainError;
}

describe('JSON-RPC client for UTXO nodes', () => {
  it('authorises with the decoded user and password of the URL', async () => {
    const { rpc } = await nodeWith(({ body, request, response }) =>
      reply(response, answer(one(body), request.headers.authorization)),
    );
    expect(await rpc.call('x', [], z.string())).toBe(
      `Basic ${Buffer.from('alice:s3cret-p@ss').toString('base64')}`,
    );
  });

  it('keeps connections open between calls', async () => {
    const ports = new Set<number | undefined>();
    const { rpc } = await nodeWith(({ body, request, response }) => {
      ports.add(request.socket.remotePort);
      reply(response, answer(one(body), 1));
    });
    for (let count = 0; count < 20; count += 1) await rpc.call('x', [], z.number());
    expect(ports.size).toBeLessThanOrEqual(4);
  });

  it('reads the cookie file again only when the node refuses the old cookie', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tilld-cookie-'));
    cleanups.push(async () => rm(directory, { recursive: true }));
    const cookieFile = join(directory, '.cookie');
    await writeFile(cookieFile, '__cookie__:first\n');
    let valid = '__cookie__:first';
    let refusals = 0;
    const { rpc } = await nodeWith(
      ({ body, request, response }) => {
        if (request.headers.authorization === `Basic ${Buffer.from(valid).toString('base64')}`) {
          return reply(response, answer(one(body), 'ok'));
        }
        refusals += 1;
        return reply(response, '', 401);
      },
      { cookieFile, user: '' },
    );
    expect(await rpc.call('x', [], z.string())).toBe('ok');
    valid = '__cookie__:second';
    await writeFile(cookieFile, valid);
    expect(await rpc.call('x', [], z.string())).toBe('ok');
    expect(refusals).toBe(1);
    valid = 'nobody';
    expect((await failure(rpc.call('x', [], z.string()))).message).toMatch(/rejects the credentials/);
  });

  it.each([
    [401, /credentials \(401\): check user and password/],
    [403, /address \(403\): its rpcallowip/],
  ])('names the node setting to check when the node answers %d', async (status, advice) => {
    const { rpc } = await nodeWith(({ response }) => reply(response, '', status));
    expect((await failure(rpc.call('x', [], z.string()))).message).toMatch(advice);
  });

  it('names the cookie file when it is missing', async () => {
    const { rpc } = await nodeWith(() => undefined, { cookieFile: '/nonexistent/.cookie', user: '' });
    const error = await failure(rpc.call('x', [], z.string()));
    expect([error.kind, error.message]).toEqual([
      'unavailable',
      'cannot read the cookie file /nonexistent/.cookie: is the node running?',
    ]);
  });

  it('retries when the work queue of the node is full, and gives up after a few attempts', async () => {
    let attempts = 0;
    let busy = 2;
    const { rpc } = await nodeWith(({ body, response }) => {
      attempts += 1;
      if (busy-- > 0) return reply(response, 'Work queue depth exceeded', 503);
      return reply(response, answer(one(body), 'ok'));
    });
    expect(await rpc.call('x', [], z.string())).toBe('ok');
    expect(attempts).toBe(3);
    busy = Number.POSITIVE_INFINITY;
    attempts = 0;
    const error = await failure(rpc.call('x', [], z.string()));
    expect([error.kind, attempts]).toEqual(['unavailable', 3]);
  });

  it('does not retry a call that timed out', async () => {
    let attempts = 0;
    const { rpc } = await nodeWith(() => void (attempts += 1), { timeoutMs: 80 });
    expect((await failure(rpc.call('x', [], z.string()))).kind).toBe('unavailable');
    expect(attempts).toBe(1);
  });

  it('never shows the credentials, neither in errors nor in logs', async () => {
    const { rpc, lines, server } = await nodeWith(({ body, response }) =>
      reply(response, answer(one(body), 1)),
    );
    await rpc.call('x', [], z.number());
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const error = await failure(rpc.call('x', [], z.number()));
    expect(error.message).toMatch(/no answer from 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
    const told = [
      ...lines,
      error.message,
      error.stack,
      JSON.stringify(error.cause),
      String(error.cause),
    ].join();
    expect(lines.length).toBeGreaterThan(0);
    for (const secret of ['alice', 's3cret', Buffer.from('alice:s3cret-p@ss').toString('base64')]) {
      expect(told).not.toContain(secret);
    }
  });

  it('does not show a malformed URL that contains a password', () => {
    const options = {
      timeoutMs: 1,
      maxResponseBytes: 1,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    };
    let caught: unknown;
    try {
      createRpcTransport({ url: 'http://bob:hunter2@[bad', ...options });
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(TypeError);
    expect(JSON.stringify(Object.entries(caught as object)) + String(caught)).not.toContain('hunter2');
  });

  it('stops reading a response that is larger than allowed', async () => {
    const { rpc } = await nodeWith(
      ({ body, response }) => reply(response, answer(one(body), 'a'.repeat(50_000))),
      { maxResponseBytes: 10_000 },
    );
    const error = await failure(rpc.call('x', [], z.string()));
    expect([error.kind, error.message]).toEqual(['bad_answer', expect.stringMatching(/larger than allowed/)]);
  });

  it.each([
    ['no JSON', '<html>', 'bad_answer'],
    ['another shape', '{"id":"nope","result":1,"error":null}', 'bad_answer'],
    ['a list', '[]', 'bad_answer'],
  ])('rejects a response that is %s', async (_what, text, kind) => {
    const { rpc } = await nodeWith(({ response }) => reply(response, text));
    expect((await failure(rpc.call('x', [], z.number()))).kind).toBe(kind);
  });

  it('names the field of a response that has an unexpected value', async () => {
    const { rpc } = await nodeWith(({ body, response }) =>
      reply(response, answer(one(body), { blocks: 'many' })),
    );
    const error = await failure(createNodeClient(rpc).chainInfo());
    expect(error.message).toMatch(/getblockchaininfo.*chain/);
  });

  it('distinguishes a refusal of the node, with its code, from a node that fails', async () => {
    const { rpc } = await nodeWith(({ body, response }) => {
      const { id, method } = one(body);
      const code = method === 'warming' ? -28 : -26;
      reply(response, { id, result: null, error: { code, message: 'dust' } }, 500);
    });
    await expect(rpc.call('send', [], z.string())).rejects.toMatchObject({ code: -26, reason: 'dust' });
    expect((await failure(rpc.call('warming', [], z.string()))).kind).toBe('unavailable');
  });

  it('matches the responses of a batch by id, in any order, also when one response is repeated', async () => {
    const { rpc } = await nodeWith(({ body, response }) => {
      const calls = body as Call[];
      const answers = calls.map((call) =>
        call.params[0] === 2
          ? { id: call.id, result: null, error: { code: -5, message: 'none' } }
          : answer(call, call.params[0]),
      );
      reply(response, [...answers, ...answers].toReversed());
    });
    const results = await rpc.batch(
      [1, 2, 3].map((value) => ({ method: 'echo', params: [value] })),
      z.number(),
    );
    expect(results[0]).toBe(1);
    expect(results[1]).toBeInstanceOf(RpcRefusal);
    expect(results[2]).toBe(3);
  });

  it('rejects a batch in which a response is missing', async () => {
    const { rpc } = await nodeWith(({ body, response }) =>
      reply(
        response,
        (body as Call[]).slice(1).map((call) => answer(call, 1)),
      ),
    );
    const requests = [1, 2].map((value) => ({ method: 'echo', params: [value] }));
    expect((await failure(rpc.batch(requests, z.number()))).message).toMatch(/lacks request/);
  });

  it('reads amounts exactly, whatever their size', async () => {
    const { rpc } = await nodeWith(({ body, response }) =>
      reply(
        response,
        `{"id":${one(body).id},"error":null,"result":{"mempoolminfee":0.00001001,"minrelaytxfee":20999999.99999999}}`,
      ),
    );
    expect(await createNodeClient(rpc).mempoolFees()).toEqual({
      rates: {
        minimum: 1_001n,
        relay: 2_099_999_999_999_999n,
        increment: 2_099_999_999_999_999n,
      },
      problem: null,
    });
  });

  it.each([
    ['with millions of digits', `0.${'1'.repeat(3_000_000)}`, 'is not an exact amount'],
    ['with a million zeros', `0.1${'0'.repeat(1_000_000)}`, 'is not an exact amount'],
    ['above the maximum supply', '84000000.00000001', 'is no amount of coins'],
    ['whose exponent hides that', '1e99', 'is no amount of coins'],
    ['below zero', '-0.00001', 'is no amount of coins'],
  ])('rejects an amount %s, and names its field', async (_what, amount, problem) => {
    const { rpc } = await nodeWith(
      ({ body, response }) =>
        reply(
          response,
          `{"id":${one(body).id},"error":null,"result":{"mempoolminfee":${amount},"success":true,"height":1,"bestblock":"${HASH}","unspents":[{"txid":"${HASH}","vout":0,"amount":${amount}}]}}`,
        ),
      { maxResponseBytes: 10_000_000 },
    );
    expect(await createNodeClient(rpc).mempoolFees()).toEqual({
      rates: null,
      problem: `getmempoolinfo: the node's answer has an unexpected mempoolminfee: ${problem}`,
    });
    const scan = await failure(scanUnspent(rpc, { watchKeys: [], known: [] }));
    expect(scan.message).toContain(`unexpected unspents.0.amount: ${problem}`);
  });
});
