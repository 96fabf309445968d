import { describe, expect, it } from 'vitest';
import type { Network } from '../../src/domain/coins.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { advanceCursor } from '../../src/store/chain/chain-cursors.ts';
import type { ChainHealth } from '../../src/workers/chain-watcher/chain-health.ts';
import { readChains } from '../../src/workers/chain-watcher/chain-warnings.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

async function warningsOf(options: {
  tipAgeMs: number;
  network?: Network;
  state?: ChainHealth['state'];
  nodeWarnings?: string;
}): Promise<readonly string[]> {
  const { tipAgeMs, network = 'mainnet', state = 'following', nodeWarnings = null } = options;
  const database = await openDatabase(':memory:');
  const chain = { coin: 'BTC', mode: 'live' } as const;
  const block = { height: 7, hash: 'b', parentHash: 'a', timeMs: NOW - tipAgeMs };
  await database.db.transaction((tx) => advanceCursor(tx, chain, block, NOW));
  const health: ChainHealth = {
    ...chain,
    state,
    height: 7,
    lag: 0,
    lastError: null,
    errorKind: null,
    lastSeenAt: NOW,
    nodeVersion: '/Satoshi:29.0.0/',
    nodeWarnings,
    unexplainedAccounts: null,
    unread: { count: 0, transactions: [] },
    alarms: [],
  };
  const [read] = await readChains({
    db: database.db,
    clock: { now: () => NOW },
    network,
    watcher: { health: () => [health] },
  });
  await database.close();
  return read?.warnings ?? ['no chain'];
}

describe('chain warnings in the state of a chain', () => {
  it('are empty while blocks have normal times', async () => {
    expect(await warningsOf({ tipAgeMs: 20 * MINUTE })).toEqual([]);
    expect(await warningsOf({ tipAgeMs: -5 * MINUTE })).toEqual([]);
  });

  it('report a system clock that is behind the newest block, on every network', async () => {
    const [warning] = await warningsOf({ tipAgeMs: -40 * MINUTE, network: 'regtest' });
    expect(warning).toBe("the newest block is 40 minutes ahead of this machine's clock: set the clock");
  });

  it('report a network without new blocks, except on regtest or while the daemon is still reading the chain', async () => {
    const silent = { tipAgeMs: 200 * MINUTE };
    expect((await warningsOf(silent))[0]).toContain('no new block for 200 minutes');
    expect(await warningsOf({ ...silent, network: 'regtest' })).toEqual([]);
    expect(await warningsOf({ ...silent, state: 'catching_up' })).toEqual([]);
  });

  it('include the warnings of the node', async () => {
    expect(await warningsOf({ tipAgeMs: 0, nodeWarnings: 'unknown new rules activated' })).toEqual([
      'unknown new rules activated',
    ]);
  });
});
