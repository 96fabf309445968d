import { describe, expect, it, test } from 'vitest';
import {
  type ConfirmationPolicy,
  requiredConfirmationsFor,
  settledHeight,
} from '../../../src/domain/confirmations.ts';
import { requiredDepths } from '../../../src/domain/payment/depth.ts';
import type { PaymentCredit, PaymentState } from '../../../src/domain/payment/types.ts';
import { freshPayment, option } from '../../_helpers/payment-state.ts';

describe('requiredConfirmationsFor', () => {
  const policy = {
    base: 2,
    tiers: [
      { fromAtoms: 50n, confirmations: 3 },
      { fromAtoms: 500n, confirmations: 6 },
    ],
  };

  test.each([
    [0n, 2],
    [49n, 2],
    [50n, 3],
    [499n, 3],
    [500n, 6],
    [10n ** 20n, 6],
  ])('requires for %i atoms %i confirmations', (atoms, needed) =>
    expect(requiredConfirmationsFor(policy, atoms)).toBe(needed),
  );

  test('ranks a finality tag (safe, finalized) above any number of confirmations', () => {
    const words: ConfirmationPolicy = {
      base: 100,
      tiers: [
        { fromAtoms: 10n, confirmations: 'safe' },
        { fromAtoms: 20n, confirmations: 'finalized' },
      ],
    };
    expect([9n, 10n, 20n].map((atoms) => requiredConfirmationsFor(words, atoms))).toEqual([
      100,
      'safe',
      'finalized',
    ]);
  });
});

describe('settledHeight', () => {
  test.each([
    [1, { safe: null, finalized: null }, 100],
    [12, { safe: 90, finalized: 60 }, 89],
    ['safe', { safe: null, finalized: null }, -1],
    ['safe', { safe: 90, finalized: 60 }, 90],
    // A safe block that came from a backend further behind than the finalized one.
    ['safe', { safe: 50, finalized: 60 }, 60],
    ['safe', { safe: null, finalized: 60 }, 60],
    ['finalized', { safe: 90, finalized: null }, -1],
    ['finalized', { safe: 90, finalized: 60 }, 60],
  ] as const)('returns for %s, at tip 100 and finality %o, height %i', (requirement, final, height) => {
    expect(settledHeight(requirement, { tip: 100, final })).toBe(height);
  });
});

describe('requiredDepths for a credit that needs finality', () => {
  const credit: PaymentCredit = {
    coin: 'ETH',
    ref: { txid: 'a', index: 0 },
    amount: 1n,
    position: 1,
    state: 'confirmed',
    height: 50,
    maturity: 1,
    firstSeenAt: 0,
    confirmedAt: null,
    late: false,
    due: 1n,
  };
  const options = { ETH: option(1n, 'finalized') };
  const at = (tip: number, finalized: number | null): PaymentState =>
    freshPayment(options, {
      status: 'confirming',
      expiresAt: 1,
      toleranceBps: 0,
      credits: [credit],
      tips: { ETH: tip },
      final: finalized === null ? {} : { ETH: { safe: null, finalized } },
    });

  it.each([
    ['nothing is finalized', 500, null, false, 63],
    ['the block below is finalized', 500, 49, false, 63],
    ['its block is finalized', 500, 50, true, 451],
    ['its block is finalized early', 52, 50, true, 64],
    ['the credit is recent', 52, 49, false, 3],
    // A tag above what was read, or a chain rewound below the credit.
    ['the tip is below its block', 49, 50, false, 0],
  ])('decides whether the credit is settled when %s', (_when, tip, finalized, settled, shown) => {
    expect(requiredDepths(at(tip, finalized)).isSettled(credit)).toBe(settled);
    expect(requiredDepths(at(tip, finalized)).shown(credit)).toBe(shown);
  });

  it('does not settle a credit that is not in a block', () => {
    const unconfirmed: PaymentCredit = { ...credit, state: 'unconfirmed', height: null };
    expect(requiredDepths(at(500, 500)).isSettled(unconfirmed)).toBe(false);
  });
});
