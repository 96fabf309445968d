import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SurveyBodies } from '../../../../src/chains/ethereum/survey-body.ts';

const alike = fc
  .integer({ min: 0, max: 44 })
  .chain((length) =>
    fc.array(fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)), { minLength: 1, maxLength: 130 }),
  );
const mixed = fc.array(fc.stringMatching(/^[0-9a-f]{0,9}$/), { minLength: 1, maxLength: 40 });
const firstId = fc.oneof(
  fc.integer({ min: 1, max: 2 ** 52 }),
  // Those that get another digit on the way.
  fc
    .tuple(fc.integer({ min: 1, max: 15 }), fc.nat(60))
    .map(([digits, before]) => Math.max(1, 10 ** digits - before)),
);

const bodies = new SurveyBodies();

it('a batch of questions is what JSON.stringify makes of it, whatever the keys and the ids', () => {
  fc.assert(
    fc.property(fc.oneof(alike, mixed), firstId, (keys, first) => {
      const questions = { method: 'eth_getBalance', before: '["', keys, after: '",{"blockHash":"0xab"}]' };
      const expected = keys.map((key, at) => ({
        jsonrpc: '2.0',
        id: first + at,
        method: 'eth_getBalance',
        params: [key, { blockHash: '0xab' }],
      }));
      const body = bodies.write(questions, first);
      expect(body.toString()).toBe(JSON.stringify(expected));
      // The next one may be written over it.
      bodies.giveBack(body);
    }),
    { numRuns: 500 },
  );
});
