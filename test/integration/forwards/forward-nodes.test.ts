/** Forwards with real BTC and LTC nodes. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { readReceiveBranch } from '../../../src/wallet/receive-branch.ts';
import { NODE_COINS, type RegtestNode, requireNode, startNode } from '../../_helpers/nodes/index.ts';
import { COIN, PricedNode } from '../../_helpers/priced-node.ts';
import { COLD_KEY, ForwardWorld } from './forward-world.ts';

const DEPOSIT = 100_000n;
const HOUR_MS = 3_700_000;

describe.each(NODE_COINS)('forwards of %s', (coin) => {
  describe.skipIf(!requireNode(coin))('with a real node', () => {
    let node: RegtestNode;
    let till: PricedNode;
    let forwards: ForwardWorld;

    beforeAll(async () => {
      node = await startNode(coin);
    });
    afterAll(async () => node.stop());
    beforeEach(async () => {
      till = await new PricedNode(coin, node).open();
      forwards = new ForwardWorld(till.world);
    });
    afterEach(async () => till.close());

    it('derives the addresses that the node derives from the same descriptor', async () => {
      const key = readReceiveBranch(UTXO_COINS[coin], 'regtest', COLD_KEY);
      if ('problem' in key) throw new Error(key.problem);
      const body = /\((.*)\)#/.exec(key.descriptor)?.[1] ?? '';
      for (const form of [
        `wpkh(${body})`,
        `pkh(${body})`,
        `sh(wpkh(${body}))`,
        `wsh(sortedmulti(1,${body}))`,
      ]) {
        const { descriptor } = await node.rpc<{ descriptor: string }>('getdescriptorinfo', [form]);
        const read = readReceiveBranch(UTXO_COINS[coin], 'regtest', descriptor);
        if ('problem' in read) throw new Error(read.problem);
        expect(read.descriptor).toBe(descriptor);
        expect([0, 1, 2].map((index) => read.address(index))).toEqual(
          await node.rpc('deriveaddresses', [descriptor, [0, 2]]),
        );
      }
    });

    it('moves 1,000 deposits in one transaction, and leaves what is kept', async () => {
      await till.fund(...Array.from({ length: 1_000 }, () => DEPOSIT));
      await forwards.rule(coin, { to: COLD_KEY, keep: '0.1', threshold: '0.5' });
      await forwards.run();
      const [send, ...others] = await forwards.made();
      expect(others).toEqual([]);
      expect(send).toMatchObject({ ordered: (1_000n * DEPOSIT - COIN / 10n).toString() });
      expect(await node.rpc<string[]>('getrawmempool')).toContain(send?.txid);
      await till.mine();
      expect(await till.world.balance(coin)).toBe('0.1');
      expect((await forwards.view(coin)).status).toBe('interval');
    });

    it('pays at most its share while rates go from 100 per vB to 1,000 and back', async () => {
      await forwards.rule(coin, { to: COLD_KEY, threshold: '0.01', intervalMinutes: 60 });
      const paid: (readonly [bigint, string, bigint])[] = [];
      for (const rate of [100_000n, 300_000n, 1_000_000n, 300_000n, 100_000n]) {
        till.rate = rate;
        await till.fund(COIN / 50n);
        till.world.clock.advance(HOUR_MS);
        await forwards.run();
        till.world.clock.advance(HOUR_MS);
        await bumpSends(till.world.deps, till.world.chain(coin));
        const { status } = await forwards.view(coin);
        const last = (await forwards.made()).at(-1);
        paid.push([rate, status, BigInt(last?.fee ?? 0)]);
        if (rate < 1_000_000n) await till.mine();
      }
      const made = await forwards.made();
      for (const send of made) {
        expect(BigInt(send.maxFee)).toBe(BigInt(send.ordered) / 100n);
        expect(BigInt(send.fee)).toBeLessThanOrEqual(BigInt(send.maxFee));
      }
      expect(paid.find(([rate]) => rate === 1_000_000n)?.[1]).toBe('fee_above_share');
      expect(made.length).toBeGreaterThanOrEqual(2);
    });
  });
});
