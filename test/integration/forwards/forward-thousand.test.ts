/** A thousand payments of a shop on real nodes, forwarded to cold storage. */
import { describe, expect, it } from 'vitest';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { requireNode } from '../../_helpers/nodes/index.ts';
import { COLD_KEY } from './forward-world.ts';
import { type Figures, forwardDeposits } from './forwarded-deposits.ts';
import { gatherAndForward } from './gathered-deposits.ts';
import { sweepAndForward } from './swept-deposits.ts';

const LIMIT_MS = 1_800_000;
/** A daemon that kept what it read of each deposit would grow by more. */
const MOST_GROWTH_MB = 400;

function report(of: string, { sends, transactions, fees, blockedMs, grownMb }: Figures): void {
  process.stdout.write(
    `${of}: ${sends} forwards in ${transactions} transactions, fees of ${fees} atoms, ` +
      `event loop blocked for at most ${blockedMs} ms, memory grew by ${grownMb} MB\n`,
  );
}

describe.skipIf(!requireNode('BTC'))('forwards of BTC', () => {
  it(
    'move 1,600 deposits at once, more than one transaction spends, each once and to fresh addresses',
    async () => {
      const done = await forwardDeposits({
        coin: 'BTC',
        waves: [1_600],
        descriptor: COLD_KEY,
        keep: '0.01',
      });
      report('1,600 BTC deposits', done);
      expect(done.transactions).toBeGreaterThanOrEqual(2);
      expect(done.grownMb).toBeLessThan(MOST_GROWTH_MB);
    },
    LIMIT_MS,
  );
});

describe.skipIf(!requireNode('LTC'))('forwards of LTC', () => {
  it(
    'move 1,000 deposits in four waves to one address, each once',
    async () => {
      const done = await forwardDeposits({ coin: 'LTC', waves: [250, 250, 250, 250], keep: '1' });
      report('1,000 LTC deposits', done);
      expect(done.sends).toBeGreaterThanOrEqual(4);
      expect(done.grownMb).toBeLessThan(MOST_GROWTH_MB);
    },
    LIMIT_MS,
  );
});

describe.skipIf(!requireAnvil())('forwards of ETH', () => {
  it(
    'move 1,000 deposits that were swept first, each once, until only the kept amount remains',
    async () => {
      const { sweeps, forwards, fees } = await sweepAndForward(1_000);
      process.stdout.write(
        `1,000 ETH deposits: ${sweeps} sweeps, ${forwards} forwards, fees of ${fees} wei\n`,
      );
      expect(sweeps).toBe(1_000);
    },
    LIMIT_MS,
  );
});

describe('forwards of SOL', () => {
  it(
    'move 1,000 deposits, nine accounts per transaction, each once, until only the kept amount remains',
    async () => {
      const { sweeps, forwards, fees } = await gatherAndForward(1_000);
      process.stdout.write(
        `1,000 SOL deposits: ${sweeps} gatherings, ${forwards} forwards, fees of ${fees} lamports\n`,
      );
      expect(sweeps).toBeGreaterThanOrEqual(1);
      expect(sweeps + forwards).toBeGreaterThanOrEqual(1_000 / 9 - 1);
    },
    2 * LIMIT_MS,
  );

  it(
    'move 100 deposits once each where a node loses transactions until they have expired',
    async () => {
      const { sweeps, forwards } = await gatherAndForward(100, { loses: true });
      expect(sweeps + forwards).toBeGreaterThanOrEqual(100 / 9 - 1);
    },
    LIMIT_MS,
  );
});
