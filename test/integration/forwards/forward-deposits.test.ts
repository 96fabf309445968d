/** Payments of a shop on a real node, forwarded to cold storage. */
import { describe, expect, it } from 'vitest';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { requireNode } from '../../_helpers/nodes/index.ts';
import { COLD_KEY } from './forward-world.ts';
import { forwardDeposits } from './forwarded-deposits.ts';
import { gatherAndForward } from './gathered-deposits.ts';
import { sweepAndForward } from './swept-deposits.ts';

describe.skipIf(!requireNode('BTC'))('forwards of payments in BTC', () => {
  it('move 120 deposits in waves, each once, until only the kept and the promised amount remain', async () => {
    const done = await forwardDeposits({
      coin: 'BTC',
      waves: [40, 60, 20],
      descriptor: COLD_KEY,
      keep: '0.01',
    });
    expect(done.sends).toBeGreaterThanOrEqual(3);
  });
});

describe.skipIf(!requireAnvil())('forwards of payments in ETH', () => {
  it('move 45 deposits that were swept first, each once, until only the kept amount remains', async () => {
    const done = await sweepAndForward(45);
    expect(done.sweeps).toBe(45);
    expect(done.forwards).toBeGreaterThanOrEqual(2);
  });
});

describe('forwards of payments in SOL', () => {
  it('move 30 deposits, gathered in part, each once, until only the kept and the promised amount remain', async () => {
    const done = await gatherAndForward(30);
    expect(done.sweeps).toBeGreaterThanOrEqual(1);
    expect(done.sweeps + done.forwards).toBeGreaterThanOrEqual(3);
  });
});
