import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COINS, type Coin } from '../../../src/domain/coins.ts';
import { ChainError } from '../../../src/domain/chain.ts';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { advanceSends } from '../../../src/usecases/wallet/advance-sends.ts';
import { bumpSends } from '../../../src/usecases/wallet/bump-sends.ts';
import { estimateFee } from '../../../src/usecases/wallet/estimate-fee.ts';
import { getSend } from '../../../src/usecases/wallet/get-send.ts';
import { listWalletTransactions } from '../../../src/usecases/wallet/list-wallet-transactions.ts';
import { sendCoins, type SendCoinsInput } from '../../../src/usecases/wallet/send-coins.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';
import { addMerchant } from '../../_helpers/wallet-world.ts';

/** One whole coin in atoms. */
const ONE: Readonly<Record<Coin, bigint>> = {
  BTC: 10n ** 8n,
  ETH: 10n ** 18n,
  LTC: 10n ** 8n,
  SOL: 10n ** 9n,
};

let sim: SimulatedWorld;

beforeEach(async () => {
  sim = await openSimulatedWorld();
});
afterEach(async () => sim.close());

/** An address of somebody else on the same network. */
function stranger(coin: Coin, index = 7): string {
  return sim.world.deps.deriver.address({ coin, mode: 'sandbox', account: 999, branch: 0, index });
}

function order(coin: Coin, amount: string, more: Partial<SendCoinsInput> = {}): SendCoinsInput {
  return {
    merchant: sim.world.merchant,
    destination: stranger(coin),
    amount,
    coin,
    idempotencyKey: null,
    ...more,
  };
}

async function send(coin: Coin, amount: string, more: Partial<SendCoinsInput> = {}) {
  return sendCoins(sim.world.deps, order(coin, amount, more));
}

async function mine(coin: Coin, blocks = 1): Promise<void> {
  await sim.control(coin).mine(blocks);
  await sim.world.sync(coin);
}

async function status(sendId: string) {
  return getSend(sim.world.deps, { merchantId: sim.world.merchant.id, sendId });
}

const atoms = (amount: string, coin: Coin) => parseCoinAmount(amount, coin);

describe.each(COINS)('a %s send', (coin) => {
  test('takes the fee on top and brings the change back', async () => {
    await sim.fund(coin, 2n * ONE[coin]);
    expect(await sim.world.balance(coin)).toBe('2');
    const sent = await send(coin, '0.5');
    expect(sent).toMatchObject({
      status: 'broadcast',
      amount: '0.5',
      destination: stranger(coin),
      confirmations: 0,
    });
    expect(await sim.world.balance(coin)).toBe('0');
    await mine(coin);
    const left = 2n * ONE[coin] - ONE[coin] / 2n - atoms(sent.fee, coin);
    expect(await sim.world.balance(coin)).toBe(formatCoinAmount(left, coin));
    expect(await status(sent.id)).toMatchObject({
      status: 'confirmed',
      confirmations: 1,
      txHash: sent.txHash,
    });
    await mine(coin, 2);
    expect(await status(sent.id)).toMatchObject({ confirmations: 3 });
    expect(await sim.world.sendEvents()).toEqual(['send.broadcast', 'send.confirmed']);
  });

  test('with subtractFee empties the wallet to exactly zero', async () => {
    await sim.fund(coin, ONE[coin], 2n * ONE[coin]);
    const sent = await send(coin, '3', { subtractFee: true });
    expect(atoms(sent.amount, coin) + atoms(sent.fee, coin)).toBe(3n * ONE[coin]);
    await mine(coin);
    expect(await sim.world.balance(coin)).toBe('0');
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed' });
  });

  test('of more than there is says what is available', async () => {
    await sim.fund(coin, ONE[coin]);
    await expect(send(coin, '1')).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      message: expect.stringContaining(`1 ${coin} is available`),
    });
    expect(await sim.world.balance(coin)).toBe('1');
  });

  test('costs what the estimate said', async () => {
    await sim.fund(coin, 2n * ONE[coin]);
    const estimate = await estimateFee(sim.world.deps, order(coin, '0.25'));
    const sent = await send(coin, '0.25');
    expect(sent).toMatchObject({ fee: estimate.fee, amount: estimate.amount });
    expect(atoms(estimate.total, coin)).toBe(atoms(estimate.fee, coin) + atoms(estimate.amount, coin));
  });
});

describe('what is refused before anything is stored', () => {
  const stored = async () => (await sim.world.db.selectFrom('sends').selectAll().execute()).length;

  afterEach(async () => expect(await stored()).toBe(0));

  test('a destination of another chain is named', async () => {
    await sim.fund('BTC', ONE.BTC);
    const wrong = send('BTC', '0.1', { destination: stranger('LTC') });
    await expect(wrong).rejects.toMatchObject({
      code: 'VALIDATION_INVALID',
      details: [{ field: 'destination' }],
    });
  });

  test.each(['0', '0.000', '0.123456789', '-1', '1e3', ''])('the amount %o is named', async (amount) => {
    await sim.fund('BTC', ONE.BTC);
    await expect(send('BTC', amount)).rejects.toMatchObject({
      code: 'VALIDATION_INVALID',
      details: [{ field: 'amount' }],
    });
  });

  test('dust is an invalid amount, not a missing balance', async () => {
    await sim.fund('BTC', ONE.BTC);
    await expect(send('BTC', '0.00000001')).rejects.toMatchObject({
      code: 'VALIDATION_INVALID',
      details: [{ field: 'amount' }],
    });
  });

  test('a coin that is not configured', async () => {
    const live = { ...sim.world.merchant, sandbox: 0 as const };
    await expect(send('BTC', '1', { merchant: live })).rejects.toMatchObject({ code: 'COIN_UNAVAILABLE' });
  });

  test('a node that gives no fee', async () => {
    await sim.fund('BTC', ONE.BTC);
    const { chains } = sim.world.deps;
    const deps = {
      ...sim.world.deps,
      chains: {
        get: (coin: Coin, mode: 'live' | 'sandbox') => {
          const adapter = chains.get(coin, mode);
          const down = async () => Promise.reject(new ChainError('unavailable', 'connection refused'));
          return adapter === null ? null : { ...adapter, feeQuote: down };
        },
      },
    };
    await expect(sendCoins(deps, order('BTC', '0.1'))).rejects.toMatchObject({ code: 'NODE_UNAVAILABLE' });
    expect(await sim.world.balance('BTC')).toBe('1');
  });

  test("the address of one's own payment", async () => {
    await sim.fund('BTC', ONE.BTC);
    const { deriver } = sim.world.deps;
    const address = deriver.address({ coin: 'BTC', mode: 'sandbox', account: 0, branch: 0, index: 1 });
    await sim.world.db
      .insertInto('addresses')
      .values({
        merchant_id: sim.world.merchant.id,
        coin: 'BTC',
        mode: 'sandbox',
        branch: 0,
        idx: 1,
        address,
        watch_key: sim.world.adapter('BTC').watchKey(address),
        purpose: 'payment',
        payment_id: null,
        created_at: 0,
      })
      .execute();
    await expect(send('BTC', '0.1', { destination: address })).rejects.toMatchObject({
      code: 'VALIDATION_INVALID',
      details: [{ field: 'destination' }],
    });
  });
});

describe('two sends at once', () => {
  test('never use the same coins', async () => {
    await sim.fund('BTC', ONE.BTC, ONE.BTC);
    const both = await Promise.all([send('BTC', '0.6'), send('BTC', '0.6')]);
    expect(new Set(both.map(({ txHash }) => txHash)).size).toBe(2);
    await mine('BTC');
    for (const { id } of both) expect(await status(id)).toMatchObject({ status: 'confirmed' });
  });

  test('the second is told when nothing is left', async () => {
    await sim.fund('BTC', ONE.BTC);
    const results = await Promise.allSettled([send('BTC', '0.6'), send('BTC', '0.6')]);
    const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'sent'));
    expect(codes.sort()).toEqual(['INSUFFICIENT_BALANCE', 'sent']);
    const [refused] = results.filter((result) => result.status === 'rejected');
    expect(refused?.reason.message).toContain('0 BTC is available');
  });

  test('with one idempotency key are one send', async () => {
    await sim.fund('BTC', ONE.BTC, ONE.BTC);
    const [one, two] = await Promise.all([
      send('BTC', '0.6', { idempotencyKey: 'refund-1' }),
      send('BTC', '0.6', { idempotencyKey: 'refund-1' }),
    ]);
    expect(two.id).toBe(one.id);
    expect(await send('BTC', '0.6', { idempotencyKey: 'refund-1' })).toMatchObject({ id: one.id });
    expect(await sim.world.balance('BTC')).toBe('1');
  });
});

describe('an idempotency key', () => {
  test('for another order is a mismatch', async () => {
    await sim.fund('BTC', 3n * ONE.BTC);
    await send('BTC', '0.6', { idempotencyKey: 'k' });
    const changed: Partial<SendCoinsInput>[] = [
      { amount: '0.7' },
      { destination: stranger('BTC', 8) },
      { subtractFee: true },
    ];
    for (const change of changed) {
      await expect(send('BTC', '0.6', { idempotencyKey: 'k', ...change })).rejects.toMatchObject({
        code: 'IDEMPOTENCY_MISMATCH',
      });
    }
  });

  test('of another merchant is another send', async () => {
    await sim.fund('BTC', ONE.BTC);
    const other = await addMerchant(sim.world.deps, 'sandbox');
    await send('BTC', '0.5', { idempotencyKey: 'k' });
    await expect(send('BTC', '0.5', { idempotencyKey: 'k', merchant: other })).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
    });
    await expect(
      getSend(sim.world.deps, { merchantId: other.id, idempotencyKey: 'k' }),
    ).rejects.toMatchObject({
      code: 'SEND_NOT_FOUND',
    });
  });

  test('finds the subtractFee send whose dust went to the fee', async () => {
    await sim.fund('BTC', ONE.BTC + 100n);
    const first = await send('BTC', '1', { subtractFee: true, idempotencyKey: 'all' });
    expect(await send('BTC', '1', { subtractFee: true, idempotencyKey: 'all' })).toMatchObject({
      id: first.id,
    });
  });
});

describe('the answer of the node', () => {
  test('a refusal at the first offer fails the send and frees its coins', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async () => ({ kind: 'rejected', reason: 'scriptpubkey' });
    const refused = send('BTC', '0.5', { idempotencyKey: 'k' });
    await expect(refused).rejects.toMatchObject({
      code: 'SEND_REJECTED',
      message: expect.stringContaining('scriptpubkey'),
    });
    expect(await sim.world.balance('BTC')).toBe('1');
    expect(await sim.world.sendEvents()).toEqual(['send.failed']);
    sim.line.broadcast = null;
    await expect(send('BTC', '0.5', { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'SEND_REJECTED',
    });
    expect(await send('BTC', '0.5')).toMatchObject({ status: 'broadcast' });
  });

  test('lost after the node took it: the same bytes again, one payment', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async (_transaction, forward) => {
      await forward();
      return { kind: 'unknown', reason: 'timeout' };
    };
    const sent = await send('BTC', '0.5', { idempotencyKey: 'k' });
    expect(sent.status).toBe('signed');
    expect(await sim.world.balance('BTC')).toBe('0');
    sim.line.broadcast = null;
    expect(await send('BTC', '0.5', { idempotencyKey: 'k' })).toMatchObject({
      id: sent.id,
      status: 'signed',
    });
    sim.world.clock.advance(60_000);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await status(sent.id)).toMatchObject({ status: 'broadcast', txHash: sent.txHash });
    expect(new Set(sim.line.offered.map(({ raw }) => raw)).size).toBe(1);
  });

  test('never given: retries slow down but do not stop', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
    await send('BTC', '0.5');
    for (let minute = 0; minute < 60; minute += 1) {
      for (let tick = 0; tick < 12; tick += 1) {
        sim.world.clock.advance(5_000);
        await advanceSends(sim.world.deps, sim.world.chain('BTC'));
      }
    }
    const { retryMaxMs } = sim.world.deps.policy;
    expect(sim.line.offered.length).toBeGreaterThan(3_600_000 / retryMaxMs - 1);
    expect(sim.line.offered.length).toBeLessThan(3_600_000 / retryMaxMs + 10);
  });

  test('a refusal after an unclear answer keeps the coins until the chain proves it', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
    const sent = await send('BTC', '0.5');
    sim.line.broadcast = async (_transaction, forward) => {
      await forward();
      return { kind: 'rejected', reason: 'no' };
    };
    sim.world.clock.advance(60_000);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    // The network knows it after all: the chain's word counts, not the refusal.
    expect(await status(sent.id)).toMatchObject({ status: 'broadcast' });
    await mine('BTC');
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed' });
  });

  test('a refusal while blocks are unread fails nothing: the block may hold the send itself', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async (_transaction, forward) => {
      await forward();
      return { kind: 'unknown', reason: 'timeout' };
    };
    const sent = await send('BTC', '0.5');
    await sim.control('BTC').replace(sent.txHash);
    await sim.control('BTC').mine(1);
    sim.line.broadcast = null;
    sim.world.clock.advance(60_000);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await status(sent.id)).toMatchObject({ status: 'signed' });
    expect(await sim.world.balance('BTC')).toBe('0');
    await sim.world.sync('BTC');
    expect(await status(sent.id)).toMatchObject({ status: 'failed' });
  });

  test('accepted, then forgotten by the node: offered again and mined', async () => {
    await sim.fund('BTC', ONE.BTC);
    const sent = await send('BTC', '0.5');
    await sim.control('BTC').drop(sent.txHash);
    await mine('BTC');
    expect(await status(sent.id)).toMatchObject({ status: 'broadcast' });
    sim.world.clock.advance(sim.world.deps.policy.rebroadcastMs);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    await mine('BTC');
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed' });
    expect(await sim.world.sendEvents()).toEqual(['send.broadcast', 'send.confirmed']);
  });

  test('missed altogether: the block confirms what was only signed', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async (_transaction, forward) => {
      await forward();
      return { kind: 'unknown', reason: 'timeout' };
    };
    const sent = await send('BTC', '0.5');
    await mine('BTC');
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed' });
  });
});

describe('a reorg', () => {
  test('puts a confirmed send back and confirms it again without a second event', async () => {
    await sim.fund('BTC', ONE.BTC);
    await mine('BTC', 3);
    const sent = await send('BTC', '0.5');
    await mine('BTC');
    await sim.control('BTC').reorg({ depth: 1, fate: 'dropped', txids: [sent.txHash] });
    await sim.world.sync('BTC');
    expect(await status(sent.id)).toMatchObject({ status: 'broadcast', confirmations: 0 });
    expect(await sim.world.balance('BTC')).toBe('0');
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    await mine('BTC');
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed' });
    expect(await sim.world.sendEvents()).toEqual(['send.broadcast', 'send.confirmed']);
  });
});

describe('a stranger with the seed', () => {
  test('who spends the coins of a send makes it fail and frees the rest', async () => {
    await sim.fund('BTC', ONE.BTC, ONE.BTC);
    await sim.fund('BTC', ONE.BTC);
    const sent = await send('BTC', '2.5');
    const inputs = await sim.world.db
      .selectFrom('outputs')
      .selectAll()
      .where('send_id', '=', sent.id)
      .execute();
    expect(inputs).toHaveLength(3);
    await sim.control('BTC').replace(sent.txHash);
    await mine('BTC');
    const failed = await status(sent.id);
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('another transaction') });
    expect(await sim.world.sendEvents()).toEqual(['send.broadcast', 'send.failed']);
    const held = await sim.world.db
      .selectFrom('outputs')
      .selectAll()
      .where('send_id', 'is not', null)
      .execute();
    expect(held).toEqual([]);
  });

  test('whose unconfirmed spend vanishes gives the coins back', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async () => ({ kind: 'rejected', reason: 'made for its bytes only' });
    await expect(send('BTC', '0.5')).rejects.toMatchObject({ code: 'SEND_REJECTED' });
    sim.line.broadcast = null;
    const [bytes] = sim.line.offered;
    expect(bytes).toBeDefined();
    await sim.world.adapter('BTC').broadcast(bytes!);
    await sim.world.sync('BTC');
    expect(await sim.world.balance('BTC')).toBe('0');
    await sim.control('BTC').drop(bytes!.txid);
    await sim.world.sync('BTC');
    expect(await sim.world.balance('BTC')).toBe('1');
  });
});

describe('a send that is stuck', () => {
  const dear = { rate: 40_000_000n, source: 'test', at: 0 };

  async function stuck() {
    await sim.fund('BTC', ONE.BTC);
    const sent = await send('BTC', '0.5');
    sim.world.clock.advance(sim.world.deps.policy.bumpAfterMs);
    return sent;
  }

  const bump = async () => bumpSends(sim.world.deps, sim.world.chain('BTC'));

  test('is left alone while the fee level is what it was', async () => {
    const sent = await stuck();
    await bump();
    expect(await status(sent.id)).toMatchObject({ txHash: sent.txHash });
  });

  test('gets a higher fee and pays the same', async () => {
    const sent = await stuck();
    sim.line.quote = dear;
    await bump();
    const bumped = await status(sent.id);
    expect(bumped).toMatchObject({ status: 'broadcast', amount: '0.5', destination: sent.destination });
    expect(bumped.txHash).not.toBe(sent.txHash);
    expect(atoms(bumped.fee, 'BTC')).toBeGreaterThan(atoms(sent.fee, 'BTC'));
    await mine('BTC');
    expect(await status(sent.id)).toMatchObject({
      status: 'confirmed',
      txHash: bumped.txHash,
      fee: bumped.fee,
    });
    const left = ONE.BTC / 2n - atoms(bumped.fee, 'BTC');
    expect(await sim.world.balance('BTC')).toBe(formatCoinAmount(left, 'BTC'));
    expect(await sim.world.sendEvents()).toEqual(['send.broadcast', 'send.broadcast', 'send.confirmed']);
  });

  test('is confirmed by its first version when that one is mined', async () => {
    const sent = await stuck();
    sim.line.quote = dear;
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
    await bump();
    expect((await status(sent.id)).txHash).not.toBe(sent.txHash);
    await mine('BTC');
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed', txHash: sent.txHash, fee: sent.fee });
    const bySecond = sim.line.offered.at(-1)?.txid ?? '';
    const merchantId = sim.world.merchant.id;
    expect(await getSend(sim.world.deps, { merchantId, txHash: bySecond })).toMatchObject({ id: sent.id });
  });

  test('falls back to the first version when the node refuses the replacement', async () => {
    const sent = await stuck();
    sim.line.quote = dear;
    sim.line.broadcast = async () => ({ kind: 'rejected', reason: 'no' });
    await bump();
    expect(await status(sent.id)).toMatchObject({ status: 'broadcast', txHash: sent.txHash, fee: sent.fee });
    await bump();
    expect(sim.line.offered).toHaveLength(2);
  });

  test('frees the extra coins of a replacement that was not mined, once the mined one is buried', async () => {
    await sim.fund('BTC', ONE.BTC / 2n + 400n, ONE.BTC / 4n);
    const sent = await send('BTC', '0.5');
    sim.world.clock.advance(sim.world.deps.policy.bumpAfterMs);
    sim.line.quote = dear;
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
    await bump();
    expect(await sim.world.balance('BTC')).toBe('0');
    await mine('BTC');
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed', txHash: sent.txHash });
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await sim.world.balance('BTC')).toBe('0');
    await mine('BTC', 5);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await sim.world.balance('BTC')).toBe('0.25');
  });
});

describe('the money book', () => {
  test('shows money in and out, newest first, without change', async () => {
    await sim.fund('BTC', 2n * ONE.BTC);
    sim.world.clock.advance(1_000);
    await sim.fund('SOL', ONE.SOL);
    sim.world.clock.advance(1_000);
    const sent = await send('BTC', '0.5');
    const solana = await send('SOL', '0.5');
    await mine('BTC');
    await mine('SOL');
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

describe('a send is found', () => {
  test('only by exactly one name', async () => {
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
