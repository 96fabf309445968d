import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMinor, type Payment } from '../../../packages/sdk/src/index.ts';
import { isRefundDelayed, unrecordedRefunds } from '../../../packages/sdk/src/shop.ts';

type Refund = Payment['refunds'][number];
type Facts = Parameters<typeof unrecordedRefunds>[0];

const refund = (sendId: string, fiatAmount: string, more: Partial<Refund> = {}): Refund =>
  ({ sendId, fiatAmount, linkId: null, status: 'confirmed', ...more }) as Refund;

const payment = (receivedFiat: string | null, keptFiat: string | null, ...refunds: Refund[]): Facts => ({
  receivedFiat,
  keptFiat,
  currency: 'USD',
  refunds,
});

const text = (minor: number): string => (minor / 100).toFixed(2);

const NONE: ReadonlySet<string> = new Set();

describe('unrecordedRefunds', () => {
  it('lists the refunds made in tilld, except those that the shop already recorded by refund link or send', () => {
    const facts = payment(
      '25.00',
      '10.00',
      refund('snd_1', '5.00'),
      refund('snd_2', '4.00', { linkId: 'rl_2' }),
      refund('snd_3', '6.00'),
    );
    expect(unrecordedRefunds(facts, '25.00', new Set(['rl_2', 'snd_3']))).toEqual([
      { sendId: 'snd_1', amount: '5.00' },
    ]);
  });

  it('does not list refunds of an excess', () => {
    const facts = payment('45.00', '15.00', refund('snd_1', '20.00'), refund('snd_2', '10.00'));
    expect(unrecordedRefunds(facts, '25.00', NONE)).toEqual([{ sendId: 'snd_1', amount: '10.00' }]);
    expect(unrecordedRefunds(payment('45.00', '25.00', refund('snd_1', '20.00')), '25.00', NONE)).toEqual([]);
  });

  it('does not list refunds that are not broadcast yet, and failed ones', () => {
    const pending = refund('snd_1', '5.00', { status: 'signed' });
    const failed = refund('snd_2', '5.00', { status: 'failed' });
    expect(unrecordedRefunds(payment('25.00', '20.00', pending, failed), '25.00', NONE)).toEqual([]);
  });

  it('lists nothing while tilld has no rate for the received or retained money', () => {
    expect(unrecordedRefunds(payment(null, '20.00', refund('snd_1', '5.00')), '25.00', NONE)).toEqual([]);
    expect(unrecordedRefunds(payment('25.00', null, refund('snd_1', '5.00')), '25.00', NONE)).toEqual([]);
  });

  it('never lists more than the amount by which the retained money falls short of the price', () => {
    const minor = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(minor, minor, minor, fc.array(minor, { maxLength: 5 }), (price, received, kept, parts) => {
        const refunds = parts.map((part, index) => refund(`snd_${index}`, text(part)));
        const facts = payment(text(received), text(Math.min(kept, received)), ...refunds);
        const named = unrecordedRefunds(facts, text(price), NONE);
        const sum = named.reduce((all, { amount }) => all + parseMinor(amount, 'USD'), 0n);
        const missing = BigInt(Math.max(0, Math.min(price, received) - Math.min(kept, received)));
        expect(sum).toBeLessThanOrEqual(missing);
      }),
    );
  });
});

describe('isRefundDelayed', () => {
  it('is true only for a claimed or approved refund link with a problem', () => {
    expect(isRefundDelayed({ status: 'claimed', problem: 'no money for the fee' })).toBe(true);
    expect(isRefundDelayed({ status: 'approved', problem: 'no money for the fee' })).toBe(true);
    expect(isRefundDelayed({ status: 'claimed', problem: null })).toBe(false);
    expect(isRefundDelayed({ status: 'expired', problem: 'no money for the fee' })).toBe(false);
  });
});
