import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { spentBudgets, type SignedFee } from '../../_helpers/fee-oracle.ts';
import { Treasury, treasuryStep } from '../../_helpers/treasury.ts';

/** A fee is rounded up to whole atoms. */
function rateOf({ fee, feeRate }: SignedFee): bigint {
  return ((fee - 1n) * feeRate) / fee;
}

async function check(treasury: Treasury): Promise<void> {
  const claims = await treasury.db
    .selectFrom('refunds')
    .select(['sendId', 'amount'])
    .where('linkId', 'is not', null)
    .execute();
  const given = new Map(claims.map(({ sendId: id, amount }) => [id, BigInt(amount)]));
  for (const { send, versions, worst } of await spentBudgets(treasury.db)) {
    const budget = BigInt(send.maxFee);
    const bound = treasury.bounds.get(send.id);
    const costs = versions.map(({ fee }) => fee);
    expect(costs.filter((fee) => fee > budget)).toEqual([]);
    expect(worst).toBeLessThanOrEqual(budget);
    expect(worst).toBeLessThanOrEqual(bound?.fee ?? worst);
    if (send.reason === 'forward') expect(budget).toBeLessThanOrEqual(bound?.fee ?? 0n);
    expect(versions.filter((version) => rateOf(version) > (bound?.rate ?? rateOf(version)))).toEqual([]);
    if (bound === undefined) expect(worst).toBeLessThanOrEqual(given.get(send.id) ?? worst);
  }
}

test('a version of a send, together with the transactions that share its fee budget, never costs more than the budget', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(treasuryStep, { minLength: 30, maxLength: 60 }), async (steps) => {
      await using treasury = await Treasury.open();
      for (const step of steps) {
        await treasury.perform(step);
        await check(treasury);
      }
    }),
    // Worlds take seconds: one failure is shown as it came.
    { numRuns: 6, endOnFailure: true },
  );
  // A minute when run alone; in the suite the worlds share two cores.
}, 900_000);
