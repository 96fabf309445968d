import { describe, expect, it } from 'vitest';
import type { RequiredConfirmations } from '../../src/domain/confirmations.ts';
import { AppError } from '../../src/domain/errors.ts';
import { offersFor, quotedTerms, type OfferDeps } from '../../src/usecases/payments/offers.ts';

const quote = { coin: 'ETH' as const, currency: 'USD', rate: '4000', sources: ['fixed'], at: 1 };

function termsUnder(policy: RequiredConfirmations, asked: number | undefined) {
  const deps = { confirmations: () => ({ base: policy, tiers: [] }) } as unknown as OfferDeps;
  const { requiredConfirmations: count, requiredFinality: finality } = quotedTerms(
    deps,
    { coin: 'ETH', due: 10n, quote },
    { mode: 'live', requested: asked === undefined ? {} : { ETH: asked } },
  );
  return [count, finality];
}

describe('quotedTerms with confirmations set by the payment', () => {
  it('never require fewer confirmations than the server configuration', () => {
    expect(termsUnder(6, undefined)).toEqual([6, null]);
    expect(termsUnder(6, 6)).toEqual([6, null]);
    expect(termsUnder(6, 12)).toEqual([12, null]);
    expect(() => termsUnder(6, 5)).toThrow(/confirmations\.ETH: must be at least 6/);
  });

  it.each(['safe', 'finalized'] as const)(
    'reject a number of confirmations where the server requires the finality tag %s',
    (word) => {
      expect(termsUnder(word, undefined)[1]).toBe(word);
      expect(() => termsUnder(word, 1_000)).toThrow(AppError);
    },
  );
});

describe('offersFor', () => {
  const rates: Readonly<Record<string, string>> = { BTC: '100000', LTC: '1', ETH: '4000', SOL: '200' };
  const deps = {
    chains: { get: () => ({ minimumPayment: 1_000n }) },
    rates: { quote: (coin: 'BTC') => ({ ...quote, coin, rate: rates[coin] ?? '1' }) },
  } as unknown as OfferDeps;
  const offered = (minor: bigint) =>
    offersFor(deps, ['BTC', 'LTC', 'ETH', 'SOL'], {
      mode: 'live',
      price: { minor, currency: 'USD' },
      priceField: 'amount',
    }).map(({ coin }) => coin);

  it('omits a coin whose maximum supply is below the price', () => {
    expect(offered(84_000_000_00n)).toEqual(['BTC', 'LTC', 'ETH', 'SOL']);
    expect(offered(84_000_000_01n)).toEqual(['BTC', 'ETH', 'SOL']);
    expect(offered(9_999_999_999_00n)).toEqual(['BTC', 'ETH', 'SOL']);
    expect(offered(2_100_000_000_000_00n)).toEqual(['BTC']);
  });

  it('rejects a price that cannot be paid in any coin as too large', () => {
    expect(() => offered(2_100_000_000_000_01n)).toThrow(
      /amount: too large to be paid in any of the allowed coins/,
    );
  });
});
