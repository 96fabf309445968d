/** Ethereum has no outputs to conflict by: a nonce can be used once. On rows alone: the sandbox has no accounts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advanceCursor } from '../../../src/store/chain/chain-cursors.ts';
import { insertRefund } from '../../../src/store/payments/refunds.ts';
import { findSend, insertMinedSend, type StoredSend } from '../../../src/store/sends/sends.ts';
import { requireNoSecondPayment } from '../../../src/usecases/refunds/unproven-failures.ts';
import { newId } from '../../../src/usecases/events/new-id.ts';
import { LinkWorld } from './link-world.ts';

const REVERTED = 'the send reverted on chain; only the network fee was spent';
const TIP = 1_000;
const LANE = '0xlane';

let world: LinkWorld;
let paymentId: string;

beforeEach(async () => {
  world = await LinkWorld.open();
  paymentId = (await world.paid()).id;
  const { db } = world.deps();
  const block = { height: TIP, hash: '0xtip', parentHash: '0xbelow', timeMs: 0 };
  await db.transaction(async (tx) => advanceCursor(tx, { coin: 'ETH', mode: 'live' }, block, 0));
});
afterEach(async () => world[Symbol.asyncDispose]());

/** A send of the account, also a refund of the payment. */
async function stored(change: Partial<StoredSend>, isRefund = true): Promise<StoredSend> {
  const { db, clock } = world.deps();
  const id = newId('snd_');
  const send: StoredSend = {
    id,
    merchantId: world.shop.world.merchant.id,
    coin: 'ETH',
    mode: 'live',
    purpose: 'send',
    lane: LANE,
    nonce: 5,
    destination: '0xpayer',
    subtractFee: false,
    ordered: '1',
    amount: '1',
    fee: '1',
    reason: null,
    outputsJson: null,
    coinControl: false,
    feeTermsJson: null,
    byPsbt: false,
    watchId: null,
    status: 'failed',
    txid: `0x${id}`,
    version: 1,
    height: null,
    error: REVERTED,
    idempotencyKey: null,
    createdAt: clock.now(),
    updatedAt: clock.now(),
    nextBroadcastAt: null,
    broadcasts: 1,
    announcedTxid: null,
    confirmedTxid: null,
    everything: false,
    maxFee: '1000',
    drawsOn: null,
    feeLimitedAt: null,
    drawsOnVersion: null,
    note: null,
    displacedHeight: null,
    unfundedSince: null,
    queueAccount: null,
    queuePosition: null,
    queued: false,
    partOf: null,
    parts: 0,
    partsConfirmed: 0,
    partsFee: '0',
    orderedRate: null,
    creatorKind: null,
    creatorId: null,
    leaving: null,
    valuesJson: null,
    ...change,
  };
  await db.transaction(async (tx) => {
    await insertMinedSend(tx, send);
    const own = { sendId: id, paymentId, coin: send.coin, amount: '1', createdAt: 0 };
    const given = {
      fiatAmount: null,
      rate: null,
      linkId: null,
      value: null,
      completedJson: null,
      byAcceptance: false as const,
    };
    if (isRefund) await insertRefund(tx, { ...own, ...given, position: 1 });
  });
  return send;
}

/** Whether another refund, with the next nonce unless said otherwise, is refused. */
async function isRefused(change: Partial<StoredSend> = {}): Promise<boolean> {
  const send = await stored({ nonce: 6, status: 'signed', error: null, broadcasts: 0, ...change }, false);
  const { db, policy } = world.deps();
  try {
    await db.transaction(async (tx) => requireNoSecondPayment(tx, { policy }, { send, paymentId }));
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_STATE' });
    return true;
  } finally {
    await db.deleteFrom('sends').where('id', '=', send.id).execute();
  }
}

describe('an ETH refund after an earlier refund of the payment failed in a block', () => {
  it('waits until the block of the failure is six deep', async () => {
    const { id } = await stored({ height: TIP });
    const { db } = world.deps();
    expect(await isRefused()).toBe(true);
    for (const [height, waits] of [
      [TIP - 4, true],
      [TIP - 5, false],
    ] as const) {
      await db.updateTable('sends').set({ height }).where('id', '=', id).execute();
      expect(await isRefused()).toBe(waits);
    }
    expect((await findSend(db, id))?.status).toBe('failed');
  });

  it('waits while a reorg has dropped that block, unless the new refund has the same nonce', async () => {
    await stored({});
    expect(await isRefused()).toBe(true);
    expect(await isRefused({ nonce: 5 })).toBe(false);
    expect(await isRefused({ nonce: 5, lane: '0xother' })).toBe(true);
    expect(await isRefused({ coin: 'BTC', nonce: null, lane: null })).toBe(true);
  });

  it('is sent once a deep block contains a later nonce', async () => {
    await stored({});
    await stored({ nonce: 7, status: 'confirmed', error: null, height: TIP - 4 }, false);
    expect(await isRefused()).toBe(true);
    await stored({ nonce: 5, status: 'confirmed', error: null, height: TIP - 5, lane: '0xother' }, false);
    await stored({ nonce: 4, status: 'confirmed', error: null, height: TIP - 5 }, false);
    expect(await isRefused()).toBe(true);
    await stored({ nonce: 5, status: 'confirmed', error: null, height: TIP - 5 }, false);
    expect(await isRefused()).toBe(false);
  });
});

it.each([
  ['was refused when it was first offered', { error: 'no thanks', broadcasts: 0 }],
  ['has expired or lost its nonce for good', { error: 'expired', broadcasts: 3 }],
  ['did not fail', { status: 'broadcast', error: null }],
] as const)(
  'a refund is sent without waiting when an earlier refund of the payment %s',
  async (_why, change) => {
    await stored(change);
    expect(await isRefused()).toBe(false);
  },
);
