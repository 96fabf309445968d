import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReply } from '../../../../src/chains/utxo/exact-json.ts';

/** Long texts come as bytes; otherwise the same as JSON. */
function read(text: string): unknown {
  const reply = parseReply(new Uint8Array(Buffer.from(text)));
  const isRecord = typeof reply === 'object' && reply !== null && 'result' in reply;
  if (!isRecord || !(reply.result instanceof Uint8Array)) return reply;
  return { ...reply, result: Buffer.from(reply.result).toString('utf8') };
}

const LONG = 'ab'.repeat(5_000);

describe('a reply with one long text', () => {
  it('is read as JSON would be', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4_000, maxLength: 6_000 }), fc.string(), (result, id) => {
        const text = JSON.stringify({ result, error: null, id });
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['an escape in it', `{"result":"${LONG}\\u0041${LONG}","error":null}`],
    ['the same name twice', `{"result":"${LONG}","error":null,"result":"short"}`],
    ['another order', `{"id":"1","result":"${LONG}"}`],
    ['a short result', '{"result":"ab","error":null}'],
    ['no result', '{"error":{"code":-1,"message":"no"}}'],
    ['a list', `["${LONG}"]`],
  ])('with %s, too', (_what, text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it.each([`{"result":"${LONG}`, `{"result":"${LONG}"`, `{"result":"${LONG}"} more`])(
    'is refused when it is broken off or followed by more',
    (text) => {
      expect(() => read(text)).toThrow(SyntaxError);
    },
  );

  it('comes as bytes of its own, however many there are in one answer', () => {
    const text = `[{"result":"${LONG}","id":1},{"result":"ab","id":2},{"result":"${LONG}cd","id":3}]`;
    const [first, second, third] = parseReply(new Uint8Array(Buffer.from(text))) as { result: Uint8Array }[];
    expect(second?.result).toBe('ab');
    for (const [reply, expected] of [
      [first, LONG],
      [third, `${LONG}cd`],
    ] as const) {
      expect(Buffer.from(reply?.result ?? []).toString()).toBe(expected);
      expect(reply?.result.buffer.byteLength).toBe(expected.length);
    }
  });

  it('is found nowhere but in the reply itself', () => {
    const nested = `{"error":{"result":"${LONG}"},"result":null}`;
    expect(read(nested)).toEqual(JSON.parse(nested));
    const marked = `[{"result":"${LONG}"},{"result":"long text 0"}]`;
    expect(parseReply(new Uint8Array(Buffer.from(marked)))).toEqual(JSON.parse(marked));
  });

  it('keeps the amounts beside it exact', () => {
    expect(read(`{"result":"${LONG}","fee":0.10}`)).toEqual({ result: LONG, fee: '0.10' });
  });
});
