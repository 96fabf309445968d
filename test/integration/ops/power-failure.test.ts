import { describe, expect, it } from 'vitest';
import { runCampaign } from '../../../scripts/failover/campaign.ts';
import { requireNode } from '../../_helpers/nodes/index.ts';

describe.skipIf(!requireNode('BTC'))('a power failure under load', () => {
  it('loses nothing that was acknowledged a second before, and neither issues an address nor pays a send twice', async () => {
    const { rounds, violations } = await runCampaign({ rounds: 3, coins: ['BTC'], loadMs: 1_500 });
    expect(violations).toEqual([]);
    expect(rounds.every(({ payments, sends }) => payments > 0 && sends > 0)).toBe(true);
  });
});
