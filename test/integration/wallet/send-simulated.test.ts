import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COINS, type Coin } from '../../../src/domain/coins.ts';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { estimateFee } from '../../../src/usecases/wallet/send/estimate-fee.ts';
import { getSend } from '../../../src/usecases/wallet/send/get-send.ts';
import { listWalletTransactions } from '../../../src/usecases/wallet/list-wallet-transactions.ts';
import type { SendCoinsInput } from '../../../src/usecases/wallet/send/send-coins.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';
import { addMerchant } from '../../_helpers/wallet-world.ts';

const atoms = (amount: string, coin: Coin) => parseCoinAmount(amount, coin);

let sim: SimulatedWorld;

beforeEach(async () => {
  sim = await openSimulatedWorld();
});
afterEach(async () => sim.close());

describe.each(COINS)('a %s send in sandbox mode', (coin) => {
  test('costs the fee in addition to the amount and returns the change', async () => {
    await sim.fund(coin, 2n * ONE[coin]);
    expect(await sim.world.balance(coin)).toBe('2');
    const sent = await sim.send(coin, '0.5');
    expect(sent).toMatchObject({
      status: 'broadcast',
      amount: '0.5',
      destination: sim.stranger(coin),
      confirmations: 0,
    });
    const left = 2n * ONE[coin] - ONE[coin] / 2n - atoms(sent.fee, coin);
    // Change at an address of its own can be spent at once.
    const isOwnChange = coin === 'BTC' || coin === 'LTC';
    expect(await sim.world.balance(coin)).toBe(isOwnChange ? formatCoinAmount(left, coin) : '0');
    await sim.mine(coin);
    expect(await sim.world.balance(coin)).toBe(formatCoinAmount(left, coin));
    expect(await sim.status(sent.id)).toMatchObject({
      status: 'confirmed',
      confirmations: 1,
      txHash: sent.txHash,
    });
    await sim.mine(coin, 2);
    expect(await sim.status(sent.id)).toMatchObject({ confirmations: 3 });
    expect(await sim.world.sendEvents()).toEqual(['send.broadcast', 'send.confirmed']);
  });

  test('empties the wallet to exactly zero with subtractFee', async () => {
    await sim.fund(coin, ONE[coin], 2n * ONE[coin]);
    const sent = await sim.send(coin, '3', { subtractFee: true });
    expect(atoms(sent.amount, coin) + atoms(sent.fee, coin)).toBe(3n * ONE[coin]);
    await sim.mine(coin);
    expect(await sim.world.balance(coin)).toBe('0');
    expect(await sim.status(sent.id)).toMatchObject({ status: 'confirmed' });
  });

  test('is refused with the available amount when it exceeds the balance', async () => {
    await sim.fund(coin, ONE[coin]);
    await expect(sim.send(coin, '1')).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      message: expect.stringContaining(`1 ${coin} is available`),
    });
    expect(await sim.world.balance(coin)).toBe('1');
  });

  test('costs the estimated fee', async () => {
    await sim.fund(coin, 2n * ONE[coin]);
    const estimate = await estimateFee(sim.world.deps, sim.order(coin, '0.25'));
    const sent = await sim.send(coin, '0.25');
    expect(sent).toMatchObject({ fee: estimate.fee, amount: estimate.amount });
    expect(atoms(estimate.total, coin)).toBe(atoms(estimate.fee, coin) + atoms(estimate.amount, coin));
  });
});

describe('two concurrent sends', () => {
  test('never spend the same coins', async () => {
    await sim.fund('BTC', ONE.BTC, ONE.BTC);
    const both = await Promise.all([sim.send('BTC', '0.6'), sim.send('BTC', '0.6')]);
    expect(new Set(both.map(({ txHash }) => txHash)).size).toBe(2);
    await sim.mine('BTC');
    for (const { id } of both) expect(await sim.status(id)).toMatchObject({ status: 'confirmed' });
  });

  test('are refused for the second when no balance remains', async () => {
    await sim.fund('BTC', ONE.BTC);
    const results = await Promise.allSettled([sim.send('BTC', '0.6'), sim.send('BTC', '0.6')]);
    const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'sent'));
    expect(codes.toSorted((a, b) => a.localeCompare(b))).toEqual(['INSUFFICIENT_BALANCE', 'sent']);
    const [refused] = results.filter((result) => result.status === 'rejected');
    expect(refused?.reason.message).toContain('0 BTC is available');
  });

  test('are stored as one send when they have the same idempotency key', async () => {
    await sim.fund('BTC', ONE.BTC, ONE.BTC);
    const [one, two] = await Promise.all([
      sim.send('BTC', '0.6', { idempotencyKey: 'refund-1' }),
      sim.send('BTC', '0.6', { idempotencyKey: 'refund-1' }),
    ]);
    expect(two.id).toBe(one.id);
    expect(await sim.send('BTC', '0.6', { idempotencyKey: 'refund-1' })).toMatchObject({ id: one.id });
    const left = (14n * ONE.BTC) / 10n - atoms(one.fee, 'BTC');
    expect(await sim.world.balance('BTC')).toBe(formatCoinAmount(left, 'BTC'));
  });
});

describe('an idempotency key of a send', () => {
  test('is rejected for a different send', async () => {
    await sim.fund('BTC', 3n * ONE.BTC);
    const terms = { maxFee: '0.01', note: 'rent' };
    const sent = await sim.send('BTC', '0.6', { idempotencyKey: 'k', ...terms });
    const changed: Partial<SendCoinsInput>[] = [
      { ...terms, amount: '0.7' },
      { ...terms, destination: sim.stranger('BTC', 8) },
      { ...terms, subtractFee: true },
      { ...terms, maxFee: '0.02' },
      { ...terms, maxFee: undefined },
      { ...terms, feeRate: '9' },
      { ...terms, note: 'wages' },
      { ...terms, note: undefined },
    ];
    for (const change of changed) {
      await expect(sim.send('BTC', '0.6', { idempotencyKey: 'k', ...change })).rejects.toMatchObject({
        code: 'IDEMPOTENCY_MISMATCH',
      });
    }
    const repeat = await sim.send('BTC', '0.6', { idempotencyKey: 'k', ...terms, maxFee: '0.010' });
    expect(repeat.id).toBe(sent.id);
  });

  test('can be used for another send by another merchant', async () => {
    await sim.fund('BTC', ONE.BTC);
    const other = await addMerchant(sim.world.deps, 'sandbox');
    await sim.send('BTC', '0.5', { idempotencyKey: 'k' });
    await expect(sim.send('BTC', '0.5', { idempotencyKey: 'k', merchant: other })).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
    });
    await expect(
      getSend(sim.world.deps, { merchantId: other.id, idempotencyKey: 'k' }),
    ).rejects.toMatchObject({
      code: 'SEND_NOT_FOUND',
    });
  });

  test('returns the stored send for a repeat with subtractFee, although a dust remainder was added to its fee', async () => {
    await sim.fund('BTC', ONE.BTC + 100n);
    const first = await sim.send('BTC', '1', { subtractFee: true, idempotencyKey: 'all' });
    expect(await sim.send('BTC', '1', { subtractFee: true, idempotencyKey: 'all' })).toMatchObject({
      id: first.id,
    });
  });
});

describe('wallet transactions', () => {
  test('list incoming and outgoing money, newest first, without change', async () => {
    await sim.fund('BTC', 2n * ONE.BTC);
    sim.world.clock.advance(1_000);
    await sim.fund('SOL', ONE.SOL);
    sim.world.clock.advance(1_000);
    const sent = await sim.send('BTC', '0.5');
    const solana = await sim.send('SOL', '0.5');
    await sim.mine('BTC');
    await sim.mine('SOL');
    const { merchant, deps } = { merchant: sim.world.merchant, deps: sim.world.deps };
    const all = await listWalletTransactions(deps, { merchant, page: 1, limit: 10 });
    expect(all.total).toBe(4);
    expect(all.transactions.slice(2)).toMatchObject([
      { direction: 'in', coin: 'SOL', amount: '1', status: 'confirmed', confirmations: 2 },
      { direction: 'in', coin: 'BTC', amount: '2' },
    ]);
    expect(
      all.transactions
        .slice(0, 2)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([sent.id, solana.id].sort());
    const second = await listWalletTransactions(deps, { merchant, page: 2, limit: 3 });
    expect(second).toMatchObject({ total: 4, transactions: [{ coin: 'BTC', direction: 'in' }] });
    const out = await listWalletTransactions(deps, {
      merchant,
      page: 1,
      limit: 10,
      direction: 'out',
      coin: 'BTC',
    });
    expect(out).toMatchObject({ total: 1, transactions: [{ id: sent.id, fee: sent.fee, confirmations: 1 }] });
  });
});

describe('getSend', () => {
  test('finds a send by exactly one of its identifiers', async () => {
    const merchantId = sim.world.merchant.id;
    for (const names of [{}, { sendId: 'a', txHash: 'b' }]) {
      await expect(getSend(sim.world.deps, { merchantId, ...names })).rejects.toMatchObject({
        code: 'VALIDATION_INVALID',
      });
    }
    await expect(getSend(sim.world.deps, { merchantId, sendId: 'snd_no' })).rejects.toMatchObject({
      code: 'SEND_NOT_FOUND',
    });
  });
});
