import { describe, expect, it } from 'vitest';
import type { NodeStatus } from '../../src/domain/chain.ts';
import type { Coin, Network } from '../../src/domain/coins.ts';
import { isSynced, SyncTracker } from '../../src/workers/chain-watcher/sync-tracker.ts';

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

function trackerFor(coin: Coin, network: Network) {
  let now = NOW;
  const watch = new SyncTracker({ now: () => now }, { coin, mode: 'live', network });
  const poll = (tipAgeMs: number | null, more: Partial<NodeStatus & { hasNews: boolean }> = {}): void => {
    const { hasNews = true, ...said } = more;
    const tipTimeMs = tipAgeMs === null ? null : now - tipAgeMs;
    watch.observed(now, { ...status, ...said }, { tipTimeMs, hasNews });
  };
  /** Polls for three minutes: long enough for a node with peers to be believed. */
  const pollRepeatedly = (
    tipAgeMs: number | null,
    more: Partial<NodeStatus & { hasNews: boolean }> = {},
  ): void => {
    for (let passed = 0; passed < 180_000; passed += 10_000) {
      now += 10_000;
      poll(tipAgeMs, more);
    }
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { watch, poll, pollRepeatedly, pass, now: () => now };
}

describe('isSynced (the node has every block that it knows of)', () => {
  it('is true for a node without missing blocks, whether it reports peers or not', () => {
    expect(isSynced(status)).toBe(true);
    expect(isSynced({ ...status, syncing: true })).toBe(false);
    expect(isSynced({ ...status, peers: 3, syncing: true })).toBe(false);
    expect(isSynced({ ...status, peers: 0 })).toBe(false);
  });
});

describe('SyncTracker.seenThrough (time up to which payments were seen)', () => {
  it.each(['ETH', 'SOL'] as const)(
    'returns the time of the newest block on %s, where blocks arrive regularly',
    (coin) => {
      for (const network of ['mainnet', 'testnet'] as const) {
        const { watch, pollRepeatedly, now } = trackerFor(coin, network);
        pollRepeatedly(40_000);
        expect(watch.seenThrough).toBe(now() - 40_000);
        pollRepeatedly(-5_000);
        expect(watch.seenThrough).toBe(now());
        expect(watch.cameAfter).toBeNull();
      }
    },
  );

  it.each(['ETH', 'SOL'] as const)('does not advance while the newest block of %s is minutes old', (coin) => {
    const { watch, pollRepeatedly, now } = trackerFor(coin, 'mainnet');
    pollRepeatedly(0);
    const seen = now();
    pollRepeatedly(4 * MINUTE);
    pollRepeatedly(null);
    expect(watch.seenThrough).toBe(seen);
    expect(watch.isStale(now() - 3 * MINUTE)).toBe(true);
    expect(watch.isStale(now() - MINUTE)).toBe(false);
  });

  it('returns the time of the newest BTC block for an hour after the node lagged behind', () => {
    const { watch, poll, pollRepeatedly, now } = trackerFor('BTC', 'mainnet');
    pollRepeatedly(5 * MINUTE);
    expect(watch.seenThrough).toBe(now());
    const before = now();
    watch.fellBehind();
    pollRepeatedly(20 * MINUTE);
    expect(watch.seenThrough).toBe(before);
    poll(MINUTE);
    expect(watch.seenThrough).toBe(now() - MINUTE);
    for (let passed = 0; passed < 21; passed += 1) pollRepeatedly(5 * MINUTE);
    expect(watch.seenThrough).toBe(now());
  });

  it('never decreases when an older block replaces a newer one', () => {
    const { watch, poll, pollRepeatedly } = trackerFor('ETH', 'mainnet');
    pollRepeatedly(12_000);
    const seen = watch.seenThrough;
    poll(24_000);
    expect(watch.seenThrough).toBe(seen);
  });

  it.each([
    ['BTC', 80],
    ['LTC', 20],
  ] as const)(
    'returns the time of the poll on %s, where the next block may take long, up to a limit',
    (coin, minutes) => {
      const { watch, pollRepeatedly, now } = trackerFor(coin, 'mainnet');
      pollRepeatedly(minutes * MINUTE, { peers: 8 });
      const seen = now();
      expect(watch.seenThrough).toBe(seen);
      expect(watch.cameAfter).toBe(seen);
      pollRepeatedly((minutes + 15) * MINUTE, { peers: 8 });
      expect(watch.seenThrough).toBe(seen);
    },
  );

  it.each(['BTC', 'LTC', 'ETH', 'SOL'] as const)(
    'returns the time of the poll on private networks of %s',
    (coin) => {
      const { watch, poll, now } = trackerFor(coin, 'regtest');
      poll(24 * 60 * MINUTE);
      expect(watch.seenThrough).toBe(now());
      poll(0, { syncing: true });
      expect(watch.isStale(null)).toBe(false);
    },
  );

  describe.each(['BTC', 'LTC'] as const)('on %s', (coin) => {
    it('does not advance while a mainnet node shows no new transaction', () => {
      const { watch, pollRepeatedly, now } = trackerFor(coin, 'mainnet');
      pollRepeatedly(MINUTE, { peers: 8 });
      const seen = now();
      pollRepeatedly(4 * MINUTE, { peers: 8, hasNews: false });
      expect(watch.seenThrough).toBe(seen);
      expect(watch.cameAfter).toBe(seen);
      expect(watch.isQuiet(now())).toBe(true);
    });

    it('returns the time of the newest block for an hour after a mainnet node showed no new transactions', () => {
      const { watch, poll, pollRepeatedly, now } = trackerFor(coin, 'mainnet');
      pollRepeatedly(MINUTE, { peers: 8 });
      const seen = now();
      pollRepeatedly(4 * MINUTE, { peers: 8, hasNews: false });
      pollRepeatedly(7 * MINUTE, { peers: 8 });
      expect(watch.isQuiet(now())).toBe(false);
      expect(watch.seenThrough).toBe(seen);
      poll(MINUTE, { peers: 8 });
      expect(watch.seenThrough).toBe(now() - MINUTE);
      for (let passed = 0; passed < 20; passed += 1) pollRepeatedly(5 * MINUTE, { peers: 8 });
      expect(watch.seenThrough).toBe(now());
    });

    it('returns the time of the newest block while the node shows no new transactions', () => {
      const { watch, pollRepeatedly, poll, now } = trackerFor(coin, 'mainnet');
      pollRepeatedly(5 * MINUTE, { peers: 8, hasNews: false });
      poll(2 * MINUTE, { peers: 8, hasNews: false });
      expect(watch.seenThrough).toBe(now() - 2 * MINUTE);
    });

    it('returns the time of the poll on test networks, where no transaction may arrive for long', () => {
      const { watch, pollRepeatedly, now } = trackerFor(coin, 'testnet');
      pollRepeatedly(30 * MINUTE, { peers: 8, hasNews: false });
      expect(watch.seenThrough).toBe(now());
      expect(watch.isQuiet(now())).toBe(false);
    });

    it('returns the time of the newest block for two minutes after an RPC failure of a node without peers', () => {
      const { watch, poll, pass, now } = trackerFor(coin, 'regtest');
      poll(5 * MINUTE);
      const seen = now();
      expect(watch.seenThrough).toBe(seen);
      watch.interrupted();
      pass(MINUTE);
      poll(5 * MINUTE);
      expect(watch.seenThrough).toBe(seen);
      poll(10_000);
      expect(watch.seenThrough).toBe(now() - 10_000);
      pass(MINUTE);
      poll(70_000);
      expect(watch.seenThrough).toBe(now());
    });
  });
});
