import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReply } from '../../../../src/chains/utxo/exact-json.ts';

const LONG = 'ab'.repeat(5_000);

describe('a reply with one long text', () => {
  it('is read as JSON would be', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4_000, maxLength: 6_000 }), fc.string(), (result, id) => {
        const text = JSON.stringify({ result, error: null, id });
        expect(parseReply(text)).toEqual(JSON.parse(text));
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
    expect(parseReply(text)).toEqual(JSON.parse(text));
  });

  it.each([`{"result":"${LONG}`, `{"result":"${LONG}"`, `{"result":"${LONG}"} more`])(
    'is refused when it is broken off or followed by more',
    (text) => {
      expect(() => parseReply(text)).toThrow(SyntaxError);
    },
  );

  it('keeps the amounts beside it exact', () => {
    expect(parseReply(`{"result":"${LONG}","fee":0.10}`)).toEqual({ result: LONG, fee: '0.10' });
  });
});
