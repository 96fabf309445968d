import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChainError } from '../../../src/domain/chain.ts';
import type { Coin } from '../../../src/domain/coins.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

let sim: SimulatedWorld;

beforeEach(async () => {
  sim = await openSimulatedWorld();
});
afterEach(async () => sim.close());

const stored = async () => (await sim.world.db.selectFrom('sends').selectAll().execute()).length;
const down = async () => Promise.reject(new ChainError('unavailable', 'connection refused'));

describe('sendCoins with an invalid request', () => {
  afterEach(async () => expect(await stored()).toBe(0));

  test('rejects a destination of another chain and names the field', async () => {
    await sim.fund('BTC', ONE.BTC);
    const wrong = sim.send('BTC', '0.1', { destination: sim.stranger('LTC') });
    await expect(wrong).rejects.toMatchObject({
      code: 'VALIDATION_INVALID',
      details: [{ field: 'destination' }],
    });
  });

  test.each(['0', '0.000', '0.123456789', '-1', '1e3', ''])(
    'rejects the amount %o and names the field',
    async (amount) => {
      await sim.fund('BTC', ONE.BTC);
      await expect(sim.send('BTC', amount)).rejects.toMatchObject({
        code: 'VALIDATION_INVALID',
        details: [{ field: 'amount' }],
      });
    },
  );

  test('rejects dust as an invalid amount instead of an insufficient balance', async () => {
    await sim.fund('BTC', ONE.BTC);
    await expect(sim.send('BTC', '0.00000001')).rejects.toMatchObject({
      code: 'VALIDATION_INVALID',
      details: [{ field: 'amount' }],
    });
  });

  test('refuses a coin that is not configured', async () => {
    const live = { ...sim.world.merchant, sandbox: false };
    await expect(sim.send('BTC', '1', { merchant: live })).rejects.toMatchObject({
      code: 'COIN_UNAVAILABLE',
    });
  });

  test('refuses when the node returns no fee rate', async () => {
    await sim.fund('BTC', ONE.BTC);
    const { chains } = sim.world.deps;
    const deps = {
      ...sim.world.deps,
      chains: {
        get: (coin: Coin, mode: 'live' | 'sandbox') => {
          const adapter = chains.get(coin, mode);
          return adapter === null ? null : { ...adapter, feeQuote: down };
        },
      },
    };
    await expect(sendCoins(deps, sim.order('BTC', '0.1'))).rejects.toMatchObject({
      code: 'NODE_UNAVAILABLE',
    });
    expect(await sim.world.balance('BTC')).toBe('1');
  });

  test('refuses the address of a payment of the same wallet', async () => {
    await sim.fund('BTC', ONE.BTC);
    const { deriver } = sim.world.deps;
    const address = deriver.address({ coin: 'BTC', mode: 'sandbox', account: 0, branch: 0, index: 1 });
    await sim.world.db
      .insertInto('addresses')
      .values({
        merchantId: sim.world.merchant.id,
        coin: 'BTC',
        mode: 'sandbox',
        branch: 0,
        idx: 1,
        address,
        watchKey: sim.world.adapter('BTC').watchKey(address),
        purpose: 'payment',
        paymentId: null,
        createdAt: 0,
      })
      .execute();
    await expect(sim.send('BTC', '0.1', { destination: address })).rejects.toMatchObject({
      code: 'VALIDATION_INVALID',
      details: [{ field: 'destination' }],
    });
  });
});
