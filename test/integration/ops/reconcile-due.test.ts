import { expect, it } from 'vitest';
import { reconcileDue } from '../../../src/app/maintenance.ts';
import { ChainError } from '../../../src/domain/chain.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { writeReconciliation } from '../../../src/store/chain/reconciliations.ts';
import { silent } from '../../_helpers/wallet-world.ts';
import { outputFunds } from '../../_helpers/output-funds.ts';

const DAY_MS = 24 * 3_600_000;

it.each([
  ['lately', -DAY_MS / 2, 0],
  ['more than a day ago', -2 * DAY_MS, 1],
  ['in a year to come, by a clock that was set back since', 365 * DAY_MS, 1],
])(
  'reconcileDue compares ledger and node at most once a day for a chain that was last reconciled %s',
  async (_when, ms, comparisons) => {
    const { db, close } = await openDatabase(':memory:').then((it) => ({
      db: it.db,
      close: () => it.close(),
    }));
    const now = Date.now();
    const chain = { coin: 'BTC', mode: 'live' } as const;
    await writeReconciliation(db, { ...chain, at: now + ms, height: 1, differences: 0 });
    let asked = 0;
    const adapter = {
      ...chain,
      tip: async () => ({ height: 5, hash: 'aa'.repeat(32) }),
      funds: outputFunds(async () => {
        asked += 1;
        throw new ChainError('unavailable', 'another scan runs');
      }),
    };
    const deps = { db, clock: { now: () => now }, logger: silent, intervalMs: DAY_MS, adapters: [adapter] };
    await reconcileDue(deps, new AbortController().signal);
    expect(asked).toBe(comparisons);
    await close();
  },
);
