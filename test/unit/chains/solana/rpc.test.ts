import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRpc } from '../../../../src/chains/solana/rpc/rpc.ts';

const U64_MAX = 2n ** 64n - 1n;
const ACCOUNT = {
  data: '["","base64"]',
  executable: 'false',
  owner: `"${'1'.repeat(32)}"`,
  rentEpoch: `${U64_MAX}`,
  space: '0',
};

const postForBytes = () => Promise.reject(new Error('not asked for'));

/** What is read of an answer with this result. */
async function read(result: string): Promise<unknown> {
  const post = async () => ({ status: 200, text: `{"jsonrpc":"2.0","result":${result},"id":1}` });
  return createRpc({ post, postForBytes, close: async () => undefined }).call(
    'getMultipleAccounts',
    [],
    z.unknown(),
  );
}

function account(fields: Record<string, string>, space: string): string {
  return `{${Object.entries(fields)
    .map(([name, value]) => `"${name}":${space}${value}`)
    .join()}}`;
}

it('createRpc for Solana reads lamports of any size exactly, whatever the other fields are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.bigInt({ min: 0n, max: U64_MAX }), { maxLength: 4 }),
      fc.constantFrom('', ' '),
      fc.boolean(),
      async (amounts, space, isFirst) => {
        const texts = amounts.map((amount) => {
          const lamports = { lamports: String(amount) };
          return account(isFirst ? { ...lamports, ...ACCOUNT } : { ...ACCOUNT, ...lamports }, space);
        });
        const accounts = z.array(z.object({ lamports: z.union([z.int(), z.bigint()]).transform(BigInt) }));
        const found = accounts.parse(await read(`[${texts.join()}]`));
        expect(found.map(({ lamports }) => lamports)).toEqual(amounts);
      },
    ),
  );
});

it('createRpc for Solana parses long numbers wherever they occur, and leaves digits inside strings unchanged', async () => {
  const long = 9_007_199_254_740_993n;
  expect(await read(`${long}`)).toBe(long);
  expect(await read(`[-${long},1]`)).toEqual([-long, 1]);
  expect(await read(`[1,${long}]`)).toEqual([1, long]);
  expect(await read(`["${long}","a ${long}"]`)).toEqual([`${long}`, `a ${long}`]);
});

it('createRpc for Solana rejects an amount with more digits than any possible amount', async () => {
  const lamports = z.union([z.int(), z.bigint()]);
  expect(lamports.safeParse(await read(`${U64_MAX}`)).data).toBe(U64_MAX);
  expect(lamports.safeParse(await read(`1${U64_MAX}`)).success).toBe(false);
});

/** An RPC whose node answers by this function of the parsed request. */
function answering(answer: (request: unknown) => { status?: number; body: unknown }) {
  const asked: unknown[] = [];
  const post = async (body: string) => {
    const request: unknown = JSON.parse(body);
    asked.push(request);
    const { status = 200, body: reply } = answer(request);
    return { status, text: typeof reply === 'string' ? reply : JSON.stringify(reply) };
  };
  return { asked, rpc: createRpc({ post, postForBytes, close: async () => undefined }) };
}

const idOf = (request: unknown) => (request as { id: number }).id;

async function failureOf(answer: (request: unknown) => { status?: number; body: unknown }): Promise<unknown> {
  return answering(answer)
    .rpc.call('getSlot', [], z.number())
    .then(
      () => null,
      (error: unknown) => error,
    );
}

describe('createRpc for Solana on an error object', () => {
  const error = { code: -32_602, message: 'invalid', data: { numSlotsBehind: 7 } };
  const refusal = { name: 'RpcRefusal', code: -32_602, reason: 'invalid', data: { numSlotsBehind: 7 } };

  it.each<[string, (request: unknown) => unknown]>([
    ['the id of the request', idOf],
    ['no id', () => null],
    ['the id of another request, as some gateways send it', () => 0],
  ])('reports a refusal with %s, whatever the HTTP status', async (_, id) => {
    for (const status of [200, 400]) {
      const failure = await failureOf((request) => ({ status, body: { id: id(request), error } }));
      expect(failure).toMatchObject(refusal);
    }
  });

  it.each([-32_005, -32_014, -32_016])(
    'treats code %i as a node that is temporarily unavailable',
    async (code) => {
      const failure = await failureOf((request) => ({
        body: { id: idOf(request), error: { ...error, code } },
      }));
      expect(failure).toMatchObject({ kind: 'unavailable', cause: { ...refusal, code } });
    },
  );

  it('does not treat an unsupported transaction version as a refusal', async () => {
    const failure = await failureOf((request) => ({
      body: { id: idOf(request), error: { ...error, code: -32_015 } },
    }));
    expect(failure).toMatchObject({ name: 'ChainError', kind: 'unknown_version' });
  });
});

describe('createRpc for Solana on a response that is not JSON-RPC', () => {
  it.each<[string, unknown]>([
    ['text', '<html>'],
    ['JSON without a result', { message: 'no such path' }],
    ['a list', []],
  ])(
    'treats %s as an unavailable node under an HTTP error status, and as a bad response otherwise',
    async (_, body) => {
      expect(await failureOf(() => ({ status: 404, body }))).toMatchObject({
        kind: 'unavailable',
        message: 'getSlot: HTTP 404',
      });
      expect(await failureOf(() => ({ body }))).toMatchObject({ kind: 'bad_answer' });
    },
  );

  it('rejects the result of another request as a bad response', async () => {
    const failure = await failureOf((request) => ({ body: { id: idOf(request) + 1, result: 1 } }));
    expect(failure).toMatchObject({ kind: 'bad_answer' });
  });

  it('rejects a result in another format as a bad response that names the field', async () => {
    const failure = await failureOf((request) => ({ body: { id: idOf(request), result: 'one' } }));
    expect(failure).toMatchObject({
      kind: 'bad_answer',
      message: expect.stringMatching(/^getSlot: .*unexpected result/),
    });
  });
});

describe('createRpc for Solana with a batch of calls', () => {
  const questions = [
    { method: 'getSlot', params: [], schema: z.number() },
    { method: 'getVersion', params: [], schema: z.string() },
  ] as const;
  const results: Readonly<Record<string, unknown>> = { getSlot: 7, getVersion: '4.0' };
  const replyTo = (request: unknown) => {
    const { id, method } = request as { id: number; method: string };
    return { id, result: results[method] };
  };

  it('sends one request and matches the responses by id', async () => {
    const { asked, rpc } = answering((request) => ({
      body: (request as unknown[]).map((each) => replyTo(each)).toReversed(),
    }));
    expect(await rpc.batch(questions)).toEqual([7, '4.0']);
    expect(asked).toHaveLength(1);
  });

  it.each<[string, { status?: number; body: unknown }]>([
    ['an error', { body: { id: null, error: { code: -32_600, message: 'no batches' } } }],
    ['an HTTP error', { status: 400, body: 'batches are not supported' }],
    ['JSON that is not a list', { body: {} }],
  ])('sends the calls one by one when the response to the batch is %s', async (_, refused) => {
    const { asked, rpc } = answering((request) =>
      Array.isArray(request) ? refused : { body: replyTo(request) },
    );
    expect(await rpc.batch(questions)).toEqual([7, '4.0']);
    expect(asked).toHaveLength(3);
  });

  it('throws a bad-response error when one reply of the batch is missing, and a refusal when the node refuses one call', async () => {
    const error = { code: -32_601, message: 'no such method' };
    const one = answering((request) => ({ body: (request as unknown[]).slice(1).map(replyTo) }));
    await expect(one.rpc.batch(questions)).rejects.toMatchObject({ kind: 'bad_answer' });
    const other = answering((request) => ({
      body: (request as unknown[]).map((each) => ({ id: idOf(each), error })),
    }));
    await expect(other.rpc.batch(questions)).rejects.toMatchObject({ name: 'RpcRefusal', code: -32_601 });
  });
});
