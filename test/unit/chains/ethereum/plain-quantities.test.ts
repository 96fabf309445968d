import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantityOf } from '../../../../src/chains/ethereum/node-answers.ts';
import { readPlainQuantities } from '../../../../src/chains/ethereum/plain-quantities.ts';
import { createRpc, RpcRefusal, type Survey } from '../../../../src/chains/ethereum/rpc.ts';

const hex = (value: bigint): string => `0x${value.toString(16)}`;
const idFirst = (result: string, id: number) => ({ jsonrpc: '2.0', id, result });
const idLast = (result: string, id: number) => ({ jsonrpc: '2.0', result, id });
const balances = fc.array(fc.oneof(fc.constant(0n), fc.bigInt(0n, 2n ** 256n - 1n)), { minLength: 1 });
const written = fc.record({
  balances,
  firstId: fc.integer({ min: 1, max: 2 ** 40 }),
  form: fc.constantFrom(idFirst, idLast),
  end: fc.constantFrom('', '\n'),
});
type Written = typeof written extends fc.Arbitrary<infer T> ? T : never;
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const textOf = ({ balances: of, firstId, form, end }: Written): string =>
  JSON.stringify(of.map((each, at) => form(hex(each), firstId + at))) + end;

describe('reading a batch of quantities', () => {
  it('is done in the forms in which nodes write one', () => {
    fc.assert(
      fc.property(written, (answer) => {
        const { balances: of, firstId } = answer;
        expect(readPlainQuantities(bytes(textOf(answer)), firstId, of.length)).toEqual(of);
      }),
    );
  });

  it('is refused, or comes to what JSON says, whatever is changed', () => {
    const change = fc.record({ at: fc.nat(), gone: fc.nat(3), put: fc.string({ maxLength: 3 }) });
    fc.assert(
      fc.property(written, change, (answer, { at, gone, put }) => {
        const { balances: of, firstId } = answer;
        const text = textOf(answer);
        const start = at % text.length;
        const altered = text.slice(0, start) + put + text.slice(start + gone);
        const read = readPlainQuantities(bytes(altered), firstId, of.length);
        if (read === null) return;
        const replies = JSON.parse(altered) as { id: number; result: string }[];
        expect(replies.map(({ id }) => id)).toEqual(of.map((_, index) => firstId + index));
        expect(replies.map(({ result }) => BigInt(result))).toEqual(read);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves to others what belongs to another question, lacks one or has one too many', () => {
    const three = bytes(JSON.stringify([1n, 2n, 3n].map((each, at) => idFirst(hex(each), 7 + at))));
    expect(readPlainQuantities(three, 7, 3)).toEqual([1n, 2n, 3n]);
    expect(readPlainQuantities(three, 8, 3)).toBeNull();
    expect(readPlainQuantities(three, 7, 2)).toBeNull();
    expect(readPlainQuantities(three, 7, 4)).toBeNull();
  });
});

it('no quantity has more than 256 bits: calculating with millions of digits would keep everybody waiting', () => {
  const most = hex(2n ** 256n - 1n);
  expect(readPlainQuantities(bytes(JSON.stringify([idFirst(most, 1)])), 1, 1)).toEqual([2n ** 256n - 1n]);
  expect(quantityOf(most, 'eth_getBalance')).toBe(2n ** 256n - 1n);
  expect(readPlainQuantities(bytes(JSON.stringify([idFirst(`${most}0`, 1)])), 1, 1)).toBeNull();
  expect(() => quantityOf(`${most}0`, 'eth_getBalance')).toThrow('eth_getBalance');
});

describe('a survey', () => {
  const survey: Survey<bigint> = {
    method: 'eth_getBalance',
    before: '["',
    keys: ['0xa', '0xb', '0xc'],
    after: '","latest"]',
    readPlain: readPlainQuantities,
    read: quantityOf,
  };
  interface Call {
    readonly id: number;
    readonly params: readonly string[];
  }
  const ask = async (answer: (calls: readonly Call[]) => string, status = 200) => {
    const asked: Call[][] = [];
    const rpc = createRpc({
      post: () => Promise.reject(new Error('not asked for')),
      postForBytes: async (body) => {
        const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
        const calls = JSON.parse(text) as Call[];
        asked.push(calls);
        return { status, bytes: bytes(answer(calls)) };
      },
      close: () => Promise.resolve(),
    });
    // Ids go on from what was asked before.
    await rpc.survey(survey).catch(() => []);
    return { answers: await rpc.survey(survey), asked };
  };
  const plain = (calls: readonly Call[]): string =>
    JSON.stringify(calls.map(({ id }, at) => idFirst(hex(BigInt(at)), id)));

  it('puts every question once, under an id of its own', async () => {
    const { answers, asked } = await ask(plain);
    expect(answers).toEqual([0n, 1n, 2n]);
    const ids = asked.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(6);
    const [, second = []] = asked;
    expect(second).toEqual(
      survey.keys.map((key, at) => ({
        jsonrpc: '2.0',
        id: second[at]?.id,
        method: 'eth_getBalance',
        params: [key, 'latest'],
      })),
    );
  });

  it('reads answers in any order and form, and refusals among them', async () => {
    const { answers } = await ask((calls) => {
      const [first, second, third] = calls.map(({ id }) => id);
      const error = { code: -32_000, message: 'missing trie node' };
      return JSON.stringify(
        [{ id: third, result: '0x0C' }, { id: second, error }, idLast('0xa', first ?? 0)],
        null,
        1,
      );
    });
    expect(answers[0]).toBe(10n);
    expect(answers[1]).toBeInstanceOf(RpcRefusal);
    expect(answers[2]).toBe(12n);
  });

  it.each<[string, (calls: readonly Call[]) => string, string]>([
    ['one missing', (calls) => plain(calls.slice(1)), 'lacks request'],
    [
      'answers to other questions',
      (calls) => plain(calls.map((call) => ({ ...call, id: call.id - 3 }))),
      'lacks',
    ],
    ['no quantity', (calls) => plain(calls).replace('"0x1"', '"1"'), 'eth_getBalance'],
    ['no batch', () => '{}', 'no JSON-RPC batch reply'],
    ['no JSON', (calls) => plain(calls).slice(1), 'is not JSON'],
  ])('takes %s for a bad answer', async (_, answer, problem) => {
    await expect(ask(answer)).rejects.toMatchObject({
      kind: 'bad_answer',
      message: expect.stringContaining(problem) as string,
    });
  });

  it('takes no word from a node that refuses us', async () => {
    await expect(ask(plain, 401)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
