import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { walletRoutes } from '../../../src/http/routes/wallet.ts';
import { writeMeta } from '../../../src/store/meta.ts';
import { findSend, listParts } from '../../../src/store/sends/sends.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { estimateFee } from '../../../src/usecases/wallet/send/estimate-fee.ts';
import { sendCoins, type SendCoinsInput } from '../../../src/usecases/wallet/send/send-coins.ts';
import type { SendView } from '../../../src/usecases/wallet/send/send-view.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { failDisplacedSends } from '../../../src/usecases/wallet/lifecycle/fail-displaced-sends.ts';
import { confirmUnpaid } from '../../../src/usecases/wallet/lifecycle/possibly-paid.ts';
import { freezeOutputs } from '../../../src/usecases/wallet/freeze-outputs.ts';
import { prepareSends } from '../../../src/usecases/wallet/lifecycle/prepare-sends.ts';
import { expectBooksToAgree } from '../../_helpers/books.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

/** Inputs of one transaction on this network. */
const MOST = 20;
const EACH = 1_000_000n;
let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld({}, { mostInputs: MOST });
});
afterEach(async () => sim.close());

const atoms = (text: string) => parseCoinAmount(text, 'BTC');

/** Funds the wallet with many small outputs. */
async function crowd(count: number): Promise<void> {
  await sim.fund('BTC', ...Array.from({ length: count }, () => EACH));
}

async function place(amount: string, more: Partial<SendCoinsInput> = {}): Promise<SendView> {
  return sendCoins(sim.world.deps, sim.order('BTC', amount, more));
}

async function round(): Promise<void> {
  const { deps } = sim.world;
  const chain = sim.world.chain('BTC');
  sim.world.clock.advance(deps.policy.retryMaxMs);
  await advanceSends(deps, chain);
  await prepareSends(deps, chain);
  await sim.mine('BTC');
}

/** Rounds until a send is confirmed or failed. */
async function settle(sendId: string): Promise<SendView> {
  for (let at = 0; at < 20; at += 1) {
    const send = await sim.status(sendId);
    if (send.status === 'confirmed' || send.status === 'failed') return send;
    await round();
  }
  throw new Error('the send does not settle');
}

async function received(txHash: string | null): Promise<bigint> {
  const { destination } = sim.order('BTC', '1');
  const { raw } = await sim.world.db
    .selectFrom('send_versions')
    .select('raw')
    .where('txid', '=', txHash ?? '')
    .executeTakeFirstOrThrow();
  const { outputs } = JSON.parse(raw) as { outputs: { address: string; amount: string }[] };
  return outputs
    .filter(({ address }) => address === destination)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

describe('a send that needs more outputs than one transaction may spend', () => {
  test('first consolidates its inputs in several transactions, and pays the exact amount', async () => {
    await crowd(100);
    const estimate = await estimateFee(sim.world.deps, sim.order('BTC', '0.9'));
    const ordered = await place('0.9', { idempotencyKey: 'k' });
    expect(ordered).toMatchObject({ status: 'preparing', txHash: null, amount: '0.9', fee: estimate.fee });
    expect(ordered.parts).toMatchObject({ confirmed: 0 });
    expect(await place('0.9', { idempotencyKey: 'k' })).toEqual(ordered);
    const done = await settle(ordered.id);
    expect(done).toMatchObject({ status: 'confirmed', amount: '0.9', fee: estimate.fee });
    expect(done.parts?.confirmed).toBe(done.parts?.total);
    expect(await received(done.txHash)).toBe(atoms('0.9'));
    const left = 100n * EACH - atoms('0.9') - atoms(done.fee);
    expect(await sim.world.balance('BTC')).toBe(formatCoinAmount(left, 'BTC'));
    await expectBooksToAgree(sim.world.db);
    expect(await sim.world.sendEvents()).toEqual(['send.broadcast', 'send.confirmed']);
  });

  test('reserves its outputs during preparation, so that another send is refused with that reason', async () => {
    await crowd(40);
    await place('0.3');
    await expect(place('0.2')).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      message: expect.stringContaining('reserved by sends that gather their outputs') as string,
      details: [
        {
          field: 'amount',
          code: 'set_aside',
          message: expect.stringContaining('BTC more is reserved') as string,
        },
      ],
    });
  });

  test('does not spend frozen outputs', async () => {
    await crowd(60);
    const frozen = await sim.world.db.selectFrom('outputs').select(['txid', 'vout']).limit(10).execute();
    const outputs = frozen.map(({ txid: txHash, vout: index }) => ({ txHash, index }));
    await freezeOutputs(sim.world.deps, { merchant: sim.world.merchant, coin: 'BTC', outputs, frozen: true });
    const done = await settle((await place('max')).id);
    expect(atoms(done.amount) + atoms(done.fee)).toBe(50n * EACH);
    expect(await unspent()).toBe(10n * EACH);
  });

  test('pays nothing and releases its funds when it is cancelled before its last transaction is signed', async () => {
    await crowd(60);
    const { id: sendId } = await place('0.5');
    await round();
    const input = { merchantId: sim.world.merchant.id, sendId };
    const cancelled = await cancelSend(sim.world.deps, input);
    expect(cancelled).toMatchObject({
      status: 'failed',
      txHash: null,
      error: 'cancelled before it was broadcast',
    });
    for (let at = 0; at < 3; at += 1) await round();
    const { partsFee: spent } = await stored(sendId);
    expect(await sim.world.balance('BTC')).toBe(formatCoinAmount(60n * EACH - BigInt(spent), 'BTC'));
    expect(await sim.world.sendEvents()).toEqual(['send.failed']);
    await expect(bumpSend(sim.world.deps, input)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expectBooksToAgree(sim.world.db);
  });

  test('waits while its total fee exceeds its budget, shows the reason, and continues when fees fall', async () => {
    await crowd(60);
    const estimate = await estimateFee(sim.world.deps, sim.order('BTC', '0.5'));
    const { id } = await place('0.5', { maxFee: estimate.fee });
    const quote = await sim.world.adapter('BTC').feeQuote();
    const rate = quote.rate * 3n;
    sim.line.quote = { ...quote, rate, minimum: rate };
    await round();
    await round();
    expect(await sim.status(id)).toMatchObject({
      status: 'preparing',
      feeLimited: true,
      maxFee: estimate.fee,
    });
    sim.line.quote = null;
    const done = await settle(id);
    expect(done).toMatchObject({
      status: 'confirmed',
      fee: estimate.fee,
      maxFee: estimate.fee,
      feeLimited: false,
    });
  });

  test('is refused when its total fee exceeds its maxFee', async () => {
    await crowd(60);
    await expect(place('0.5', { maxFee: '0.0000001' })).rejects.toMatchObject({ code: 'FEE_ABOVE_LIMIT' });
    expect(await sim.world.db.selectFrom('sends').select('id').execute()).toEqual([]);
  });

  test('is not signed after a restore until the operator marks it as not paid', async () => {
    await crowd(60);
    const { id } = await place('0.5');
    await writeMeta(sim.world.db, 'restored_at', String(sim.world.clock.now()));
    for (let at = 0; at < 4; at += 1) await round();
    expect(await sim.status(id)).toMatchObject({ status: 'preparing', parts: { confirmed: 0 } });
    await expect(
      cancelSend(sim.world.deps, { merchantId: sim.world.merchant.id, sendId: id }),
    ).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await confirmUnpaid(sim.world.deps, id);
    expect(await settle(id)).toMatchObject({ status: 'confirmed' });
  });

  test('is answered with 202 over HTTP, whereas one that fits into a transaction is answered with 200', async () => {
    await crowd(60);
    const route = walletRoutes(sim.world.deps).find(({ path }) => path === '/merchant/wallet/send');
    const ask = async (amount: string) => {
      const { coin, destination, merchant } = sim.order('BTC', amount);
      const input = {
        auth: { merchant },
        body: { coin, destination, amount },
        query: {},
        idempotencyKey: null,
      };
      return route?.handle(input as never);
    };
    expect(await ask('0.1')).toMatchObject({ status: 200, data: { status: 'broadcast' } });
    expect(await ask('0.3')).toMatchObject({ status: 202, data: { status: 'preparing', txHash: null } });
  });

  test('empties the wallet with max, with the total fee deducted', async () => {
    await crowd(60);
    const ordered = await place('max');
    expect(ordered.status).toBe('preparing');
    const done = await settle(ordered.id);
    expect(atoms(done.amount) + atoms(done.fee)).toBe(60n * EACH);
    expect(await received(done.txHash)).toBe(atoms(done.amount));
    expect(await sim.world.balance('BTC')).toBe('0');
    await expectBooksToAgree(sim.world.db);
  });
});

async function unspent(): Promise<bigint> {
  const rows = await sim.world.db
    .selectFrom('outputs')
    .select('amount')
    .where('state', '=', 'confirmed')
    .where('spentBy', 'is', null)
    .execute();
  return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

async function stored(sendId: string) {
  const send = await findSend(sim.world.db, sendId);
  if (send === undefined) throw new Error('there is no such send');
  return send;
}

describe('a send that first consolidates its inputs, when it is interrupted,', () => {
  /** What becomes of one broadcast before the process is killed. */
  const FAULTS = ['never offered', 'answer lost', 'forgotten by the node'] as const;

  const KILLS = FAULTS.flatMap((fault) => [1, 2, 3, 4].map((at) => ({ fault, at })));

  test.each(KILLS)(
    'pays exactly once when the process is killed at broadcast $at: $fault',
    async ({ fault, at }) => {
      await crowd(44);
      const { id, fee } = await place('0.4');
      let offers = 0;
      sim.line.broadcast = async ({ txid }, send) => {
        offers += 1;
        if (offers !== at) return send();
        if (fault === 'answer lost') await send();
        if (fault === 'forgotten by the node' && (await send()).kind === 'accepted')
          await sim.control('BTC').drop(txid);
        sim.world.restart();
        throw new Error('killed');
      };
      const done = await settle(id);
      expect(offers).toBeGreaterThanOrEqual(4);
      expect(done).toMatchObject({ status: 'confirmed', fee });
      expect(await received(done.txHash)).toBe(atoms('0.4'));
      expect(await unspent()).toBe(44n * EACH - atoms('0.4') - atoms(fee));
      await expectBooksToAgree(sim.world.db);
    },
  );

  test('fails with a reason when one of its consolidations is double-spent, and releases the remaining funds', async () => {
    await crowd(44);
    const { id } = await place('0.43');
    const { deps } = sim.world;
    sim.world.clock.advance(deps.policy.retryMaxMs);
    await prepareSends(deps, sim.world.chain('BTC'));
    const [part] = await listParts(sim.world.db, id);
    await sim.control('BTC').replace(part?.txid ?? '');
    await sim.mine('BTC', 2 * deps.policy.surplusDepth);
    await failDisplacedSends(deps, sim.world.chain('BTC'));
    const done = await settle(id);
    expect(done).toMatchObject({ status: 'failed', txHash: null });
    expect(done.error).toContain('no longer cover');
    for (let at = 0; at < 2; at += 1) await round();
    expect(await sim.world.balance('BTC')).toBe(formatCoinAmount(await unspent(), 'BTC'));
    await expectBooksToAgree(sim.world.db);
  });

  test('waits until its consolidations are mined again after a reorg, and pays once', async () => {
    await crowd(44);
    await sim.mine('BTC', 8);
    const { id } = await place('0.4');
    const done = await settle(id);
    const [part] = await listParts(sim.world.db, id);
    await sim.control('BTC').reorg({ fate: 'dropped', txids: [part?.txid ?? '', done.txHash ?? ''] });
    await sim.world.sync('BTC');
    expect(await sim.status(id)).toMatchObject({ status: 'broadcast', confirmations: 0 });
    for (let at = 0; at < 4; at += 1) await round();
    expect(await sim.status(id)).toMatchObject({ status: 'confirmed', txHash: done.txHash });
    expect(await unspent()).toBe(44n * EACH - atoms('0.4') - atoms(done.fee));
    await expectBooksToAgree(sim.world.db);
  });

  test('waits again for a consolidation whose block a reorg dropped before the send was signed', async () => {
    await crowd(44);
    await sim.mine('BTC', 8);
    const { id } = await place('0.4');
    await round();
    const [part] = await listParts(sim.world.db, id);
    await sim.control('BTC').reorg({ fate: 'dropped', txids: [part?.txid ?? ''] });
    await sim.world.sync('BTC');
    const done = await settle(id);
    expect(done.status).toBe('confirmed');
    expect(await unspent()).toBe(44n * EACH - atoms('0.4') - atoms(done.fee));
  });
});
