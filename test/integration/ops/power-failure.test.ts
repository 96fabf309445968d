import { describe, expect, it } from 'vitest';
import { runCampaign } from '../../../scripts/failover/campaign.ts';
import { requireNode } from '../../_helpers/nodes/index.ts';

describe.skipIf(!requireNode('BTC'))('a power failure under load', () => {
  it.each([
    ['without a standby', false],
    ['with a standby', true],
  ])(
    '%s loses nothing acknowledged a second before, and gives out and pays nothing twice',
    async (_, hasStandby) => {
      const { rounds, violations } = await runCampaign({
        rounds: 3,
        coins: ['BTC'],
        loadMs: 1_500,
        hasStandby,
      });
      expect(violations).toEqual([]);
      expect(rounds.every(({ payments, sends }) => payments > 0 && sends > 0)).toBe(true);
    },
  );
});
