import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHexReply, parseReply } from '../../../../src/chains/utxo/rpc/exact-json.ts';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));

/** Long texts come as bytes; otherwise the same as JSON. */
function read(text: string): unknown {
  const reply = parseReply(bytesOf(text));
  const isRecord = typeof reply === 'object' && reply !== null && 'result' in reply;
  if (!isRecord || !(reply.result instanceof Uint8Array)) return reply;
  return { ...reply, result: Buffer.from(reply.result).toString('utf8') };
}

const LONG = 'ab'.repeat(5_000);

describe('parseReply of a JSON-RPC reply with one long string', () => {
  it('returns the same value as JSON.parse', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4_000, maxLength: 6_000 }), fc.string(), (result, id) => {
        const text = JSON.stringify({ result, error: null, id });
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['an escape in the string', `{"result":"${LONG}\\u0041${LONG}","error":null}`],
    ['the same key twice', `{"result":"${LONG}","error":null,"result":"short"}`],
    ['another order', `{"id":"1","result":"${LONG}"}`],
    ['a short result', '{"result":"ab","error":null}'],
    ['no result', '{"error":{"code":-1,"message":"no"}}'],
    ['a list', `["${LONG}"]`],
  ])('returns the same value as JSON.parse for a reply with %s', (_what, text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it.each([`{"result":"${LONG}`, `{"result":"${LONG}"`, `{"result":"${LONG}"} more`])(
    'rejects a truncated reply and trailing bytes',
    (text) => {
      expect(() => read(text)).toThrow(SyntaxError);
    },
  );

  it('returns separate bytes for each result, however many there are in one response', () => {
    const text = `[{"result":"${LONG}","id":1},{"result":"ab","id":2},{"result":"${LONG}cd","id":3}]`;
    const [first, second, third] = parseReply(bytesOf(text)) as { result: Uint8Array }[];
    expect(second?.result).toBe('ab');
    for (const [reply, expected] of [
      [first, LONG],
      [third, `${LONG}cd`],
    ] as const) {
      expect(Buffer.from(reply?.result ?? []).toString()).toBe(expected);
      expect(reply?.result.buffer.byteLength).toBe(expected.length);
    }
  });

  it('finds the result of the reply although another field or reply contains a result', () => {
    const nested = `{"error":{"result":"${LONG}"},"result":null}`;
    expect(read(nested)).toEqual(JSON.parse(nested));
    const marked = `[{"result":"${LONG}"},{"result":"long text 0"}]`;
    expect(parseReply(bytesOf(marked))).toEqual(JSON.parse(marked));
  });

  it('returns the exact amounts of the other fields', () => {
    expect(read(`{"result":"${LONG}","fee":0.10}`)).toEqual({ result: LONG, fee: '0.10' });
  });
});

describe('parseHexReply', () => {
  const hex = fc
    .uint8Array({ minLength: 2_048, maxLength: 3_000 })
    .map((bytes) => Buffer.from(bytes).toString('hex'));

  it('returns the hex characters as bytes, for a single result or the only one of a list', () => {
    fc.assert(
      fc.property(hex, fc.string({ maxLength: 20 }), (result, id) => {
        for (const reply of [
          { result, error: null, id },
          { jsonrpc: '2.0', result, id },
        ]) {
          for (const text of [JSON.stringify(reply), `${JSON.stringify([reply])}\n`]) {
            const [read] = [parseHexReply(bytesOf(text))].flat() as { result: Uint8Array }[];
            expect(Buffer.from(read?.result ?? []).toString()).toBe(result);
            expect({ ...read, result }).toEqual(reply);
          }
        }
      }),
    );
  });

  it('returns the same value as JSON.parse, and leaves invalid hex to the caller', () => {
    const odd = fc.constantFrom('"', '\\', '\\u0061', '","error":null', '"result":"', '},{', '\n', 'é', 'g');
    fc.assert(
      fc.property(hex, odd, fc.nat(), fc.boolean(), (text, what, place, isEscaped) => {
        const result = `${text.slice(0, place % text.length)}${what}${text.slice(place % text.length)}`;
        const written = isEscaped ? JSON.stringify(result) : `"${result}"`;
        const answer = `{"result":${written},"error":null,"id":"1"}`;
        let reply: unknown;
        try {
          reply = parseHexReply(bytesOf(answer));
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
          expect(() => JSON.parse(answer)).toThrow(SyntaxError);
          return;
        }
        const found = (reply as { result: unknown }).result;
        if (found instanceof Uint8Array) expect(Buffer.from(found).toString()).not.toMatch(/^[0-9a-f]*$/i);
        else expect(reply).toEqual(JSON.parse(answer));
      }),
    );
  });

  it.each([
    ['an error next to the result', `{"result":null,"error":{"code":-1,"message":"${LONG}"},"id":"1"}`],
    ['another one', `[{"result":"ab","error":null,"id":1},{"result":"cd","error":null,"id":2}]`],
    ['a short result', '{"result":"ab","error":null,"id":"1"}'],
    ['one elsewhere', `{"other":{"result":"${LONG}","error":null},"id":"1"}`],
    ['one more level', `[[{"result":"${LONG}"}]]`],
  ])('returns the same value as JSON.parse for a reply that has %s', (_what, text) => {
    expect(parseHexReply(bytesOf(text))).toEqual(JSON.parse(text));
  });
});
