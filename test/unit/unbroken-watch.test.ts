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
  const look = (tipAgeMs: number | null, more: Partial<NodeStatus & { hasNews: boolean }> = {}): void => {
    const { hasNews = true, ...said } = more;
    const tipTimeMs = tipAgeMs === null ? null : now - tipAgeMs;
    watch.observed(now, { ...status, ...said }, { tipTimeMs, hasNews });
  };
  /** Looks for three minutes: long enough for a node with peers to be believed. */
  const watchOn = (tipAgeMs: number | null, more: Partial<NodeStatus & { hasNews: boolean }> = {}): void => {
    for (let passed = 0; passed < 180_000; passed += 10_000) {
      now += 10_000;
      look(tipAgeMs, more);
    }
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { watch, look, watchOn, pass, now: () => now };
}

describe('isInStep', () => {
  it('is true for a node that has every block it knows of, whether it reports peers or not', () => {
    expect(isInStep(status)).toBe(true);
    expect(isInStep({ ...status, syncing: true })).toBe(false);
    expect(isInStep({ ...status, peers: 3, syncing: true })).toBe(false);
    expect(isInStep({ ...status, peers: 0 })).toBe(false);
  });
});

describe('SyncTracker time up to which the chain was read', () => {
  it.each(['ETH', 'SOL'] as const)(
    'is the time of the newest block of %s, where blocks arrive regularly',
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

  it.each(['ETH', 'SOL'] as const)('does not advance while the newest block of %s is minutes old', (coin) => {
    const { watch, watchOn, now } = watchOf(coin, 'mainnet');
    watchOn(0);
    const seen = now();
    watchOn(4 * MINUTE);
    watchOn(null);
    expect(watch.seenThrough).toBe(seen);
    expect(watch.isStale(now() - 3 * MINUTE)).toBe(true);
    expect(watch.isStale(now() - MINUTE)).toBe(false);
  });

  it('is the time of the newest BTC block for an hour after the node fell behind', () => {
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

  it('never goes back when an older block replaces a newer one', () => {
    const { watch, look, watchOn } = watchOf('ETH', 'mainnet');
    watchOn(12_000);
    const seen = watch.seenThrough;
    look(24_000);
    expect(watch.seenThrough).toBe(seen);
  });

  it.each([
    ['BTC', 80],
    ['LTC', 20],
  ] as const)(
    'is the time of the read on %s, where a block may take long, up to a limit',
    (coin, minutes) => {
      const { watch, watchOn, now } = watchOf(coin, 'mainnet');
      watchOn(minutes * MINUTE, { peers: 8 });
      const seen = now();
      expect(watch.seenThrough).toBe(seen);
      expect(watch.cameAfter).toBe(seen);
      watchOn((minutes + 15) * MINUTE, { peers: 8 });
      expect(watch.seenThrough).toBe(seen);
    },
  );

  it.each(['BTC', 'LTC', 'ETH', 'SOL'] as const)(
    'is the time of the read on private networks of %s',
    (coin) => {
      const { watch, look, now } = watchOf(coin, 'regtest');
      look(24 * 60 * MINUTE);
      expect(watch.seenThrough).toBe(now());
      look(0, { syncing: true });
      expect(watch.isStale(null)).toBe(false);
    },
  );

  describe.each(['BTC', 'LTC'] as const)('on %s', (coin) => {
    it('does not advance while a mainnet node shows no new transaction', () => {
      const { watch, watchOn, now } = watchOf(coin, 'mainnet');
      watchOn(MINUTE, { peers: 8 });
      const seen = now();
      watchOn(4 * MINUTE, { peers: 8, hasNews: false });
      expect(watch.seenThrough).toBe(seen);
      expect(watch.cameAfter).toBe(seen);
      expect(watch.isQuiet(now())).toBe(true);
    });

    it('is the time of the newest block for an hour after a mainnet node was silent', () => {
      const { watch, look, watchOn, now } = watchOf(coin, 'mainnet');
      watchOn(MINUTE, { peers: 8 });
      const seen = now();
      watchOn(4 * MINUTE, { peers: 8, hasNews: false });
      watchOn(7 * MINUTE, { peers: 8 });
      expect(watch.isQuiet(now())).toBe(false);
      expect(watch.seenThrough).toBe(seen);
      look(MINUTE, { peers: 8 });
      expect(watch.seenThrough).toBe(now() - MINUTE);
      for (let passed = 0; passed < 20; passed += 1) watchOn(5 * MINUTE, { peers: 8 });
      expect(watch.seenThrough).toBe(now());
    });

    it('is the time of the newest block while the mempool of the node accepts no transactions', () => {
      const { watch, watchOn, look, now } = watchOf(coin, 'mainnet');
      watchOn(5 * MINUTE, { peers: 8, hasNews: false });
      look(2 * MINUTE, { peers: 8, hasNews: false });
      expect(watch.seenThrough).toBe(now() - 2 * MINUTE);
    });

    it('is the time of the read on test networks, where no transaction may arrive for long', () => {
      const { watch, watchOn, now } = watchOf(coin, 'testnet');
      watchOn(30 * MINUTE, { peers: 8, hasNews: false });
      expect(watch.seenThrough).toBe(now());
      expect(watch.isQuiet(now())).toBe(false);
    });

    it('is the time of the newest block for two minutes after a node without peers failed', () => {
      const { watch, look, pass, now } = watchOf(coin, 'regtest');
      look(5 * MINUTE);
      const seen = now();
      expect(watch.seenThrough).toBe(seen);
      watch.interrupted();
      pass(MINUTE);
      look(5 * MINUTE);
      expect(watch.seenThrough).toBe(seen);
      look(10_000);
      expect(watch.seenThrough).toBe(now() - 10_000);
      pass(MINUTE);
      look(70_000);
      expect(watch.seenThrough).toBe(now());
    });
  });
});
