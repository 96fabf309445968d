import { describe, expect, it } from 'vitest';
import type { Requirement } from '../../src/domain/confirmations.ts';
import { AppError } from '../../src/domain/errors.ts';
import { quotedTerms, type OfferDeps } from '../../src/usecases/payments/offers.ts';

const quote = { coin: 'ETH' as const, currency: 'USD', rate: '4000', sources: ['fixed'], at: 1 };

function termsUnder(policy: Requirement, asked: number | undefined) {
  const deps = { confirmations: () => ({ base: policy, tiers: [] }) } as unknown as OfferDeps;
  const { required_confirmations: count, required_finality: finality } = quotedTerms(
    deps,
    { coin: 'ETH', due: 10n, quote },
    { mode: 'live', asked: asked === undefined ? {} : { ETH: asked } },
  );
  return [count, finality];
}

describe('confirmations that a payment asks for', () => {
  it('never lower what the server requires', () => {
    expect(termsUnder(6, undefined)).toEqual([6, null]);
    expect(termsUnder(6, 6)).toEqual([6, null]);
    expect(termsUnder(6, 12)).toEqual([12, null]);
    expect(() => termsUnder(6, 5)).toThrow(/confirmations\.ETH: must be at least 6/);
  });

  it.each(['safe', 'finalized'] as const)('no number stands for the network’s own word: %s', (word) => {
    expect(termsUnder(word, undefined)[1]).toBe(word);
    expect(() => termsUnder(word, 1_000)).toThrow(AppError);
  });
});
