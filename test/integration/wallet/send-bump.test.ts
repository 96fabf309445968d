import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Coin } from '../../../src/domain/coins.ts';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { consolidate } from '../../../src/usecases/wallet/sweep/consolidate.ts';
import { getSend } from '../../../src/usecases/wallet/send/get-send.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const atoms = (amount: string, coin: Coin) => parseCoinAmount(amount, coin);

let sim: SimulatedWorld;

beforeEach(async () => {
  sim = await openSimulatedWorld({ maxFeeShareBps: 10_000 });
});
afterEach(async () => sim.close());

const dear = { rate: 40_000_000n, source: 'test', at: 0 };

async function stuck() {
  await sim.fund('BTC', ONE.BTC);
  const sent = await sim.send('BTC', '0.5');
  sim.world.clock.advance(sim.world.deps.policy.bumpAfterMs);
  return sent;
}

const bump = async () => bumpSends(sim.world.deps, sim.world.chain('BTC'));

describe('a stuck send', () => {
  test('is not bumped while the fee rate of the network is unchanged', async () => {
    const sent = await stuck();
    await bump();
    expect(await sim.status(sent.id)).toMatchObject({ txHash: sent.txHash });
  });

  test('gets a higher fee when fee rates rise, and pays the same amount', async () => {
    const sent = await stuck();
    sim.line.quote = dear;
    await bump();
    const bumped = await sim.status(sent.id);
    expect(bumped).toMatchObject({ status: 'broadcast', amount: '0.5', destination: sent.destination });
    expect(bumped.txHash).not.toBe(sent.txHash);
    expect(atoms(bumped.fee, 'BTC')).toBeGreaterThan(atoms(sent.fee, 'BTC'));
    await sim.mine('BTC');
    expect(await sim.status(sent.id)).toMatchObject({
      status: 'confirmed',
      txHash: bumped.txHash,
      fee: bumped.fee,
    });
    const left = ONE.BTC / 2n - atoms(bumped.fee, 'BTC');
    expect(await sim.world.balance('BTC')).toBe(formatCoinAmount(left, 'BTC'));
    expect(await sim.world.sendEvents()).toEqual(['send.broadcast', 'send.broadcast', 'send.confirmed']);
  });

  test('is confirmed by its first version when a block contains that one after a bump', async () => {
    const sent = await stuck();
    sim.line.quote = dear;
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
    await bump();
    // No node accepted the second: the network knows the first.
    expect(await sim.status(sent.id)).toMatchObject({ txHash: sent.txHash, fee: sent.fee });
    await sim.mine('BTC');
    expect(await sim.status(sent.id)).toMatchObject({
      status: 'confirmed',
      txHash: sent.txHash,
      fee: sent.fee,
    });
    const bySecond = sim.line.offered.at(-1)?.txid ?? '';
    const merchantId = sim.world.merchant.id;
    expect(await getSend(sim.world.deps, { merchantId, txHash: bySecond })).toMatchObject({ id: sent.id });
  });

  test('returns to the first version when the node rejects the replacement', async () => {
    const sent = await stuck();
    sim.line.quote = dear;
    sim.line.broadcast = async () => ({ kind: 'rejected', reason: 'no' });
    await bump();
    expect(await sim.status(sent.id)).toMatchObject({
      status: 'broadcast',
      txHash: sent.txHash,
      fee: sent.fee,
    });
    await bump();
    expect(sim.line.offered).toHaveLength(2);
  });

  test('releases the additional inputs of a replacement that was not mined, once the mined version is deep', async () => {
    await sim.fund('BTC', ONE.BTC / 2n + 400n, ONE.BTC / 4n);
    const sent = await sim.send('BTC', '0.5');
    sim.world.clock.advance(sim.world.deps.policy.bumpAfterMs);
    sim.line.quote = dear;
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
    await bump();
    expect(await sim.world.balance('BTC')).toBe('0');
    await sim.mine('BTC');
    expect(await sim.status(sent.id)).toMatchObject({ status: 'confirmed', txHash: sent.txHash });
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await sim.world.balance('BTC')).toBe('0');
    await sim.mine('BTC', 5);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await sim.world.balance('BTC')).toBe('0.25');
    // What it spent stays its own: a fork may bring the coins back, and the send with them.
    const spent = sim.world.db.selectFrom('outputs').select('sendId').where('spentBy', '=', sent.txHash);
    expect(await spent.execute()).toEqual([{ sendId: sent.id }]);
  });

  test('deducts the higher fee from the amount when it moves money within the wallet', async () => {
    await sim.fund('BTC', ONE.BTC, ONE.BTC);
    const { merchant, deps } = sim.world;
    const { sendId } = await consolidate(deps, { merchant, coin: 'BTC', maxFee: '1' });
    const moved = async () => {
      const sends = sim.world.db.selectFrom('sends').select(['version', 'amount', 'fee']);
      const { version, amount, fee } = await sends.where('id', '=', sendId).executeTakeFirstOrThrow();
      return { version, all: BigInt(amount) + BigInt(fee) };
    };
    expect(await moved()).toEqual({ version: 1, all: 2n * ONE.BTC });
    sim.world.clock.advance(deps.policy.bumpAfterMs);
    sim.line.quote = dear;
    await bump();
    expect(await moved()).toEqual({ version: 2, all: 2n * ONE.BTC });
  });
});
