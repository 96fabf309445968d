import { describe, expect, it } from 'vitest';
import { RecentSends } from '../../../../src/chains/solana/accounts/recent-sends.ts';
import type { LandedTransaction } from '../../../../src/chains/solana/blocks/own-transactions.ts';

const found = (txid: string, slot: number): ReadonlyMap<string, LandedTransaction> =>
  new Map([[txid, { signature: txid, slot } as LandedTransaction]]);
const nothing = new Map<string, LandedTransaction>();

describe('RecentSends', () => {
  it('contains a send until the ledger has recorded it in a finalized block', () => {
    const sends = new RecentSends();
    sends.expect(['from'], 'tx', 0);
    sends.scanned(nothing);
    sends.forget(1_000, 5_000);
    expect(sends.has('from')).toBe(true);
    sends.scanned(found('tx', 1_010));
    sends.forget(2_000, 10_000);
    expect(sends.has('from')).toBe(true);
    sends.scanned(nothing);
    sends.forget(1_009, 15_000);
    expect(sends.has('from')).toBe(true);
    sends.forget(1_010, 20_000);
    expect(sends.accounts).toEqual([]);
  });

  it('contains a send again that a later scan reports as new because recording it failed', () => {
    const sends = new RecentSends();
    sends.expect(['from'], 'tx', 0);
    sends.scanned(found('tx', 10));
    sends.scanned(nothing);
    sends.scanned(found('tx', 12));
    sends.forget(100, 5_000);
    expect(sends.has('from')).toBe(true);
  });

  it('drops a send that no scan found for five minutes after its last broadcast', () => {
    const sends = new RecentSends();
    sends.expect(['from'], 'tx', 0);
    sends.expect(['from'], 'tx', 200_000);
    sends.forget(0, 400_000);
    expect(sends.has('from')).toBe(true);
    sends.forget(0, 500_001);
    expect(sends.has('from')).toBe(false);
  });

  it('keeps the newest of two sends from one account', () => {
    const sends = new RecentSends();
    sends.expect(['from'], 'first', 0);
    sends.scanned(found('first', 10));
    sends.expect(['from'], 'second', 1_000);
    sends.scanned(nothing);
    sends.forget(100, 2_000);
    expect(sends.has('from')).toBe(true);
  });
});
