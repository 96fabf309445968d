/** The paths of docs/performance.md: rates that rise tenfold and fall again, on real nodes. */
import { describe, expect, it } from 'vitest';
import { playPath, type Played } from '../../../scripts/fees/path/path-actions.ts';
import { openBitcoin, openEthereum } from '../../../scripts/fees/path/path-chain.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { requireNode } from '../../_helpers/nodes/index.ts';

/** Statuses of the actions that waited, without those that were mined. */
function waits({ rows }: Played): Set<string> {
  return new Set(rows.flatMap(({ history }) => history));
}

function actions({ rows }: Played): string[] {
  return [...new Set(rows.map(({ action }) => action))];
}

describe('fees while rates rise tenfold and fall again', () => {
  it.skipIf(!requireNode('BTC'))(
    'stay within the budget of each BTC send, claim, forward and consolidation, and what waited goes through',
    async () => {
      const played = await playPath(await openBitcoin());
      expect(played.problems).toEqual([]);
      expect(actions(played)).toHaveLength(6);
      for (const status of ['broadcast, feeLimited', 'fee_above_share', 'claimed', 'FEE_ABOVE_LIMIT'])
        expect(waits(played)).toContain(status);
    },
  );

  it.skipIf(!requireAnvil())(
    'stay within the budget of each ETH send, claim, forward and sweep, and what waited goes through',
    async () => {
      const played = await playPath(await openEthereum());
      expect(played.problems).toEqual([]);
      expect(actions(played)).toHaveLength(5);
      for (const status of ['broadcast, feeLimited', 'fee_above_share', 'FEE_ABOVE_LIMIT'])
        expect(waits(played)).toContain(status);
    },
  );
});
