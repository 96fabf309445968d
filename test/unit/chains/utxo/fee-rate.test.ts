import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseFeeRate } from '../../../../src/chains/utxo/sends/fee-rate.ts';

const limits = { floorRate: 1_000n, fallbackRate: 2_000n, capRate: 50_000n, confirmTarget: 6 };

describe('chooseFeeRate', () => {
  it.each([
    [{ estimate: 9_000n, minimum: 2_000n, relay: 1_000n }, 9_000n, 'estimatesmartfee'],
    [{ estimate: 3_000n, minimum: 7_000n, relay: 1_000n }, 7_000n, 'mempool minimum'],
    [{ estimate: null, minimum: 1_000n, relay: 4_000n }, 4_000n, 'relay floor'],
    [{ estimate: null, minimum: 100n, relay: 100n }, 1_000n, 'configured floor'],
    [{ estimate: 90_000n, minimum: 100n, relay: 100n }, 50_000n, 'estimatesmartfee, capped'],
  ])('returns for %o the highest of estimate and minimums, within the limits', (seen, rate, source) => {
    const increment = 100n;
    expect(chooseFeeRate({ ...seen, increment }, limits, 5)).toMatchObject({
      rate,
      source,
      at: 5,
      increment,
    });
  });

  it('returns a rate as low as the minimum relay fee of the node when no minimum is configured', () => {
    const node = { estimate: null, minimum: 100n, relay: 100n, increment: 100n };
    expect(chooseFeeRate(node, { ...limits, floorRate: 0n }, 0)).toMatchObject({ rate: 100n, minimum: 100n });
  });

  it('returns the fallback rate of the coin when the node returns none', () => {
    const node = { estimate: null, minimum: 0n, relay: 0n, increment: 100n };
    const quote = chooseFeeRate(node, { ...limits, floorRate: 0n }, 0);
    expect(quote).toMatchObject({ rate: 2_000n, source: 'fallback' });
  });

  it('never returns a rate below the minimum or above the cap', () => {
    const rate = fc.bigInt(0n, 10n ** 12n);
    fc.assert(
      fc.property(fc.option(rate), rate, rate, (estimate, minimum, relay) => {
        const quote = chooseFeeRate({ estimate, minimum, relay, increment: relay }, limits, 0);
        expect(quote.rate >= limits.floorRate && quote.rate <= limits.capRate).toBe(true);
      }),
    );
  });
});
