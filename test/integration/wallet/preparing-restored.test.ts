import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { writeMeta } from '../../../src/store/meta.ts';
import { findSend, listParts, type StoredSend } from '../../../src/store/sends/sends.ts';
import { sendCoins, type SendCoinsInput } from '../../../src/usecases/wallet/send/send-coins.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { confirmUnpaid } from '../../../src/usecases/wallet/lifecycle/possibly-paid.ts';
import { prepareSends } from '../../../src/usecases/wallet/lifecycle/prepare-sends.ts';
import { expectBooksToAgree } from '../../_helpers/books.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const EACH = 1_000_000n;
let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld({}, { mostInputs: 20 });
});
afterEach(async () => sim.close());

async function step(): Promise<void> {
  const { deps } = sim.world;
  sim.world.clock.advance(deps.policy.retryMaxMs);
  await advanceSends(deps, sim.world.chain('BTC'));
  await prepareSends(deps, sim.world.chain('BTC'));
}

async function rounds(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await step();
    await sim.mine('BTC');
  }
}

/** A send that gathers 80 outputs and is signed, its last transaction in no block yet. */
async function signed(amount: string, more: Partial<SendCoinsInput> = {}): Promise<string> {
  await sim.fund('BTC', ...Array.from({ length: 80 }, () => EACH));
  const { id } = await sendCoins(sim.world.deps, sim.order('BTC', amount, more));
  for (let at = 0; at < 10 && (await sim.status(id)).status === 'preparing'; at += 1) {
    await step();
    if ((await sim.status(id)).status === 'preparing') await sim.mine('BTC');
  }
  expect((await sim.status(id)).status).toBe('broadcast');
  return id;
}

/** The database as a backup has it that was made before the send was signed; the network has what was signed since. */
async function restore(id: string): Promise<void> {
  const { db } = sim.world;
  await db.deleteFrom('send_versions').where('sendId', '=', id).execute();
  const unsigned = { version: 0, txid: null, announcedTxid: null, broadcasts: 0, nextBroadcastAt: 1 };
  await db
    .updateTable('sends')
    .set({ status: 'preparing', ...unsigned })
    .where('id', '=', id)
    .execute();
  await writeMeta(db, 'restored_at', String(sim.world.clock.now()));
}

/** Transactions in blocks that pay the destination. */
async function payments(): Promise<number> {
  const destination = sim.stranger('BTC');
  const rows = await sim.world.db
    .selectFrom('sim_transactions')
    .select('bodyJson')
    .where('state', '=', 'mined')
    .execute();
  return rows.filter(({ bodyJson: body }) => body.includes(destination)).length;
}

describe('a send from before a restore that first consolidates its inputs', () => {
  it.each([
    { amount: '0.5', more: {} },
    { amount: '0.5', more: { subtractFee: true } },
    { amount: 'max', more: {} },
  ])('is confirmed by the block that pays $amount $more', async ({ amount, more }) => {
    const id = await signed(amount, more);
    const before = await sim.status(id);
    await restore(id);
    await sim.mine('BTC', 8);
    const { status, txHash, fee, amount: paid } = await sim.status(id);
    expect({ status, txHash, fee, paid }).toEqual({
      status: 'confirmed',
      txHash: before.txHash,
      fee: before.fee,
      paid: before.amount,
    });
    await rounds(6);
    expect(await payments()).toBe(1);
    const spent = parseCoinAmount(before.amount, 'BTC') + parseCoinAmount(fee, 'BTC');
    expect(await sim.world.balance('BTC')).toBe(formatCoinAmount(80n * EACH - spent, 'BTC'));
    await expectBooksToAgree(sim.world.db);
  });

  it('is confirmed by a version with a higher fee, which raises its fee budget', async () => {
    const id = await signed('0.5');
    const quote = await sim.world.adapter('BTC').feeQuote();
    sim.line.quote = { ...quote, rate: quote.rate * 30n };
    const merchantId = sim.world.merchant.id;
    const bumped = await bumpSend(sim.world.deps, { merchantId, sendId: id, maxFee: '0.02' });
    await restore(id);
    await sim.world.db.updateTable('sends').set({ maxFee: '50000' }).where('id', '=', id).execute();
    await sim.mine('BTC', 8);
    const done = await sim.status(id);
    expect(done).toMatchObject({ status: 'confirmed', txHash: bumped.txHash });
    expect(parseCoinAmount(done.maxFee, 'BTC')).toBeGreaterThanOrEqual(parseCoinAmount(done.fee, 'BTC'));
  });

  it('returns to broadcast when a reorg drops the block that paid it, and is paid once', async () => {
    const id = await signed('0.5');
    const { txHash } = await sim.status(id);
    await restore(id);
    await sim.mine('BTC');
    expect((await sim.status(id)).status).toBe('confirmed');
    await sim.control('BTC').reorg({ fate: 'dropped', txids: [txHash ?? ''] });
    await sim.world.sync('BTC');
    expect(await sim.status(id)).toMatchObject({ status: 'broadcast', txHash });
    await rounds(3);
    expect(await sim.status(id)).toMatchObject({ status: 'confirmed', txHash });
    expect(await payments()).toBe(1);
  });

  it('waits, even when the operator marks it as not paid, while an unconfirmed transaction spends its outputs', async () => {
    const id = await signed('max');
    await restore(id);
    await sim.world.sync('BTC');
    await confirmUnpaid(sim.world.deps, id);
    await step();
    await step();
    expect((await sim.status(id)).status).toBe('preparing');
    await sim.mine('BTC');
    expect((await sim.status(id)).status).toBe('confirmed');
  });

  it('is not confirmed by another payment to its destination', async () => {
    const id = await signed('0.5');
    await restore(id);
    const { db } = sim.world;
    await db.updateTable('sends').set({ ordered: '50000001' }).where('id', '=', id).execute();
    await sim.mine('BTC', 8);
    expect((await sim.status(id)).status).toBe('preparing');
    expect((await findSend(db, id))?.txid).toBeNull();
  });

  it('includes the consolidations that were signed after the backup, and spends their outputs once it is marked as not paid', async () => {
    await sim.fund('BTC', ...Array.from({ length: 80 }, () => EACH));
    const { id, fee } = await sendCoins(sim.world.deps, sim.order('BTC', '0.5'));
    await step();
    const { db, deps } = sim.world;
    const parts = await listParts(db, id);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) await forget(part);
    await writeMeta(db, 'restored_at', String(sim.world.clock.now()));
    await sim.mine('BTC', 8);
    const adopted = await listParts(db, id);
    const known = (rows: typeof parts) => rows.map(({ txid, fee: cost }) => `${txid} ${cost}`).toSorted();
    expect(known(adopted)).toEqual(known(parts));
    expect(await sim.status(id)).toMatchObject({ status: 'preparing', parts: { confirmed: parts.length } });
    await confirmUnpaid(deps, id);
    await rounds(6);
    expect(await sim.status(id)).toMatchObject({ status: 'confirmed', amount: '0.5', fee });
    expect(await payments()).toBe(1);
    await expectBooksToAgree(db);
  });
});

describe('a consolidation for a send from before a restore', () => {
  it('is confirmed by a version that was bumped after the backup, and its send then spends the output', async () => {
    await sim.fund('BTC', ...Array.from({ length: 80 }, () => EACH));
    const { id } = await sendCoins(sim.world.deps, sim.order('BTC', '0.5'));
    await step();
    const { db, deps } = sim.world;
    const before = await listParts(db, id);
    const quote = await sim.world.adapter('BTC').feeQuote();
    sim.line.quote = { ...quote, rate: quote.rate * 5n };
    for (const part of before) await bumpSend(deps, { merchantId: sim.world.merchant.id, sendId: part.id });
    sim.line.quote = null;
    const raised = await listParts(db, id);
    for (const part of before) await forgetRaise(part);
    await writeMeta(db, 'restored_at', String(sim.world.clock.now()));
    await sim.mine('BTC', 8);
    const shown = (rows: typeof raised) => rows.map(({ txid, fee }) => `${txid} ${fee}`).toSorted();
    expect(shown(await listParts(db, id))).toEqual(shown(raised));
    await confirmUnpaid(deps, id);
    await rounds(6);
    expect((await sim.status(id)).status).toBe('confirmed');
    expect(await payments()).toBe(1);
    await expectBooksToAgree(db);
  });
});

/** Removes the raise of a part that a backup does not have. */
async function forgetRaise({ id, txid, fee, amount }: StoredSend): Promise<void> {
  const { db } = sim.world;
  const newer = await db.selectFrom('send_versions').select('txid').where('sendId', '=', id).execute();
  const unknown = newer.map((row) => row.txid).filter((each) => each !== txid);
  expect(unknown).toHaveLength(1);
  await db.deleteFrom('outputs').where('txid', 'in', unknown).execute();
  await db.deleteFrom('send_versions').where('txid', 'in', unknown).execute();
  await db.updateTable('sends').set({ txid, fee, amount, version: 1 }).where('id', '=', id).execute();
}

/** Removes a part that a backup does not have; the outputs that it spends are those of its send again. */
async function forget({ id, txid, partOf: wholeId }: StoredSend): Promise<void> {
  const { db } = sim.world;
  await db.updateTable('outputs').set({ sendId: wholeId }).where('sendId', '=', id).execute();
  await db
    .deleteFrom('outputs')
    .where('txid', '=', txid ?? '')
    .execute();
  await db.deleteFrom('send_versions').where('sendId', '=', id).execute();
  await db.deleteFrom('sends').where('id', '=', id).execute();
}
