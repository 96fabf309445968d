import { describe, expect, it } from 'vitest';
import type { NodeStatus } from '../../src/domain/chain.ts';
import type { Coin, Network } from '../../src/domain/coins.ts';
import { isInStep, SyncTracker } from '../../src/workers/chain-watcher/sync-tracker.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const status: NodeStatus = {
  tip: { height: 1, hash: 'a' },
  headersHeight: 1,
  syncing: false,
  pruneHeight: 0,
  peers: null,
  version: 'test',
  warnings: null,
};

function watchOf(coin: Coin, network: Network) {
  let now = NOW;
  const watch = new SyncTracker({ now: () => now }, { coin, mode: 'live', network });
  const look = (tipAgeMs: number | null, more: Partial<NodeStatus> = {}): void =>
    watch.observed(now, { ...status, ...more }, tipAgeMs === null ? null : now - tipAgeMs);
  /** Looks for three minutes: long enough for a node with peers to be believed. */
  const watchOn = (tipAgeMs: number | null, more: Partial<NodeStatus> = {}): void => {
    for (let passed = 0; passed < 180_000; passed += 10_000) {
      now += 10_000;
      look(tipAgeMs, more);
    }
  };
  return { watch, look, watchOn, now: () => now };
}

describe('a node in step', () => {
  it('has every block that it knows of, whether it tells of peers or not', () => {
    expect(isInStep(status)).toBe(true);
    expect(isInStep({ ...status, syncing: true })).toBe(false);
    expect(isInStep({ ...status, peers: 3, syncing: true })).toBe(false);
    expect(isInStep({ ...status, peers: 0 })).toBe(false);
  });
});

describe('the time up to which a chain was seen', () => {
  it.each(['ETH', 'SOL'] as const)(
    'is that of the newest block of %s, where blocks come by the clock',
    (coin) => {
      for (const network of ['mainnet', 'testnet'] as const) {
        const { watch, watchOn, now } = watchOf(coin, network);
        watchOn(40_000);
        expect(watch.seenThrough).toBe(now() - 40_000);
        watchOn(-5_000);
        expect(watch.seenThrough).toBe(now());
        expect(watch.cameAfter).toBeNull();
      }
    },
  );

  it.each(['ETH', 'SOL'] as const)('does not move on while the newest block of %s is minutes old', (coin) => {
    const { watch, watchOn, now } = watchOf(coin, 'mainnet');
    watchOn(0);
    const seen = now();
    watchOn(4 * MINUTE);
    watchOn(null);
    expect(watch.seenThrough).toBe(seen);
    expect(watch.isStale(now() - 3 * MINUTE)).toBe(true);
    expect(watch.isStale(now() - MINUTE)).toBe(false);
  });

  it('is that of the newest block of BTC for an hour after the node fell behind', () => {
    const { watch, look, watchOn, now } = watchOf('BTC', 'mainnet');
    watchOn(5 * MINUTE);
    expect(watch.seenThrough).toBe(now());
    const before = now();
    watch.fellBehind();
    watchOn(20 * MINUTE);
    expect(watch.seenThrough).toBe(before);
    look(MINUTE);
    expect(watch.seenThrough).toBe(now() - MINUTE);
    for (let passed = 0; passed < 21; passed += 1) watchOn(5 * MINUTE);
    expect(watch.seenThrough).toBe(now());
  });

  it('never goes back when a block is replaced by an older one', () => {
    const { watch, look, watchOn } = watchOf('ETH', 'mainnet');
    watchOn(12_000);
    const seen = watch.seenThrough;
    look(24_000);
    expect(watch.seenThrough).toBe(seen);
  });

  it.each([
    ['BTC', 80],
    ['LTC', 20],
  ] as const)('is that of the look on %s, where a block may take long, but not for ever', (coin, minutes) => {
    const { watch, watchOn, now } = watchOf(coin, 'mainnet');
    watchOn(minutes * MINUTE, { peers: 8 });
    const seen = now();
    expect(watch.seenThrough).toBe(seen);
    expect(watch.cameAfter).toBe(seen);
    watchOn((minutes + 15) * MINUTE, { peers: 8 });
    expect(watch.seenThrough).toBe(seen);
  });

  it.each(['BTC', 'LTC', 'ETH', 'SOL'] as const)('is that of the look on private networks of %s', (coin) => {
    const { watch, look, now } = watchOf(coin, 'regtest');
    look(24 * 60 * MINUTE);
    expect(watch.seenThrough).toBe(now());
    look(0, { syncing: true });
    expect(watch.isStale(null)).toBe(false);
  });
});
