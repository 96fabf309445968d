/** A reorg after a refund failed and its link was claimed again: only one of the two may ever be paid. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outputKey } from '../../../src/domain/chain.ts';
import { setFrozen } from '../../../src/store/ledger/frozen-outputs.ts';
import { listVersions, type StoredSendVersion } from '../../../src/store/sends/send-versions.ts';
import { findSend } from '../../../src/store/sends/sends.ts';
import type { RefundLinkView } from '../../../src/usecases/payments/refunds/present-link.ts';
import { sendClaims } from '../../../src/usecases/refunds/links/send-claims.ts';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { failDisplacedSends } from '../../../src/usecases/wallet/lifecycle/fail-displaced-sends.ts';
import { failReverted } from '../../../src/usecases/wallet/lifecycle/fail-reverted.ts';
import { readPlan } from '../../../src/usecases/wallet/lifecycle/stored-plan.ts';
import { LinkWorld } from './link-world.ts';

let world: LinkWorld;
afterEach(async () => world[Symbol.asyncDispose]());

const FIFTH = { wish: { kind: 'amount', amount: '20', currency: 'USD' } } as const;

const CHAIN = { coin: 'LTC', mode: 'sandbox' } as const;
const control = () => world.shop.control('LTC');
const adapter = () => world.shop.world.adapter('LTC');

async function mine(blocks: number): Promise<void> {
  await control().mine(blocks);
  await settle();
}

/** Reads what the node has, and ends what that proves to be over. */
async function settle(): Promise<void> {
  await world.shop.world.sync('LTC');
  const deps = { ...world.deps(), confirmations: () => ({ base: 2, tiers: [] }) };
  await failReverted(deps, CHAIN);
  await failDisplacedSends(deps, CHAIN);
}

async function sendIdOf(link: RefundLinkView): Promise<string> {
  const { sendId } = await world.linkNow(link);
  if (sendId === null) throw new Error('the link has no send');
  return sendId;
}

async function versions(sendId: string): Promise<StoredSendVersion[]> {
  return listVersions(world.deps().db, sendId);
}

async function versionOf(sendId: string, number: number): Promise<StoredSendVersion> {
  const version = (await versions(sendId)).find((each) => each.version === number);
  if (version === undefined) throw new Error(`there is no version ${number}`);
  return version;
}

async function inputsOf(sendId: string): Promise<string[]> {
  return readPlan((await versionOf(sendId, 1)).planJson).inputs.map(({ ref }) => outputKey(ref));
}

async function broadcast({ txid, raw }: StoredSendVersion) {
  return adapter().broadcast({ txid, raw });
}

const statusOf = async (sendId: string) => (await findSend(world.deps().db, sendId))?.status;

/** A payment, and money in the wallet for fees. */
async function open(): Promise<{ id: string }> {
  world = await LinkWorld.open();
  const payment = await world.paid();
  await world.paid();
  return payment;
}

/** A refund by the link that is on its way. */
async function refund(link: RefundLinkView, index: number): Promise<string> {
  await world.claim(link, index);
  if ((await world.linkNow(link)).approval) await world.approve(link);
  await sendClaims(world.deps());
  return sendIdOf(link);
}

/** The shop takes it back, which is settled with two blocks. */
async function takeBack(link: RefundLinkView, sendId: string): Promise<void> {
  const quote = await adapter().feeQuote();
  const dear = world.nodeThat({ feeQuote: async () => ({ ...quote, rate: quote.rate * 3n }) });
  await cancelSend(dear, { merchantId: world.shop.world.merchant.id, sendId });
  await mine(2);
  expect(await statusOf(sendId)).toBe('failed');
  expect(await world.linkNow(link)).toMatchObject({ status: 'open', approval: true });
}

/** What the payer has in blocks, at any of the addresses given. */
async function arrived(...indices: number[]): Promise<number> {
  const addresses = new Set(indices.map((index) => adapter().watchKey(world.payer(index))));
  const { db } = world.deps();
  const sends = await db.selectFrom('sends').selectAll().where('status', '=', 'confirmed').execute();
  return sends.filter(({ destination }) => addresses.has(adapter().watchKey(destination))).length;
}

describe('a second LTC refund after the first was cancelled by a transaction to the own wallet', () => {
  let payment: { id: string };
  let link: RefundLinkView;
  let first: string;
  beforeEach(async () => {
    payment = await open();
    link = await world.newLink(payment, FIFTH);
    first = await refund(link, 7);
    await takeBack(link, first);
  });

  it('spends the output of the cancellation, so that a reorg that mines the first refund invalidates the second', async () => {
    const second = await refund(link, 8);
    const cancellation = await versionOf(first, 2);
    expect((await inputsOf(second)).map((key) => key.split(':')[0])).toEqual([cancellation.txid]);
    await control().reorg({ fate: 'dropped', txids: [cancellation.txid] });
    expect(await broadcast(await versionOf(first, 1))).toEqual({ kind: 'accepted' });
    await mine(1);
    expect(await statusOf(first)).toBe('confirmed');
    await mine(world.deps().policy.surplusDepth);
    expect(await statusOf(second)).toBe('failed');
    expect(await world.linkNow(link)).toMatchObject({
      status: 'paid',
      destination: world.payer(7),
      sendId: first,
    });
    expect(await arrived(7, 8)).toBe(1);
  });

  it('spends an input of the first refund when a reorg dropped the cancellation, however late the ledger reads that', async () => {
    const cancellation = await versionOf(first, 2);
    await control().reorg({ fate: 'dropped', txids: [cancellation.txid] });
    await settle();
    // The cancellation is broadcast again automatically: the claim waits for it, or is rejected in its favour.
    for (let round = 0; round < 5 && (await world.linkNow(link)).status !== 'paid'; round += 1) {
      if ((await world.linkNow(link)).status === 'open') await world.claim(link, 8);
      if ((await world.linkNow(link)).status === 'claimed') await world.approve(link);
      await sendClaims(world.deps());
      if ((await world.linkNow(link)).status !== 'paid') await broadcast(cancellation);
      await mine(1);
    }
    expect(await world.linkNow(link)).toMatchObject({ status: 'paid', destination: world.payer(8) });
    const spent = (await inputsOf(await sendIdOf(link))).map((key) => key.split(':')[0]);
    const origin = (await inputsOf(first)).map((key) => key.split(':')[0]);
    expect([origin, [cancellation.txid]]).toContainEqual(spent);
    expect(await broadcast(await versionOf(first, 1))).not.toEqual({ kind: 'accepted' });
    await mine(2);
    expect(await arrived(7, 8)).toBe(1);
  });

  it('spends the output of the cancellation also when it is a direct refund', async () => {
    const { refund: direct } = await world.refund(payment, '0.1');
    const cancellation = await versionOf(first, 2);
    expect((await inputsOf(direct.sendId)).map((key) => key.split(':')[0])).toEqual([cancellation.txid]);
  });

  it('may spend any coins once the block of the cancellation is deep', async () => {
    await mine(world.deps().policy.surplusDepth - 3);
    const { txid, changeIndex: index } = await versionOf(first, 2);
    const ref = { txid, index: index ?? -1 };
    await world.deps().db.transaction(async (tx) => setFrozen(tx, CHAIN, { ref, frozen: true, now: 1 }));
    await world.claim(link, 8);
    await world.approve(link);
    await sendClaims(world.deps());
    expect((await world.linkNow(link)).problem).toContain('could still be mined');
    await mine(1);
    await sendClaims(world.deps());
    expect((await world.linkNow(link)).status).toBe('paid');
  });
});

describe('a second refund after the inputs of the first were double-spent six blocks deep', () => {
  let payment: { id: string };
  let link: RefundLinkView;
  let first: string;
  let rival: string;
  beforeEach(async () => {
    payment = await open();
    link = await world.newLink(payment, FIFTH);
    first = await refund(link, 7);
    // More than all that was there: what any other send would spend.
    await control().pay([{ address: world.shop.world.address('LTC'), amount: 500_000_000n }]);
    rival = await control().replace((await versionOf(first, 1)).txid);
    await mine(world.deps().policy.surplusDepth);
    expect(await statusOf(first)).toBe('failed');
  });

  it('spends these inputs when a reorg dropped the double spend, so that the first refund cannot be mined as well', async () => {
    await control().reorg({ fate: 'dropped', txids: [rival] });
    await settle();
    const second = await refund(link, 8);
    expect(await inputsOf(second)).toEqual(await inputsOf(first));
    expect(await broadcast(await versionOf(first, 1))).not.toEqual({ kind: 'accepted' });
    await mine(2);
    expect([await statusOf(first), await statusOf(second)]).toEqual(['failed', 'confirmed']);
    expect(await arrived(7, 8)).toBe(1);
  });

  it('waits until the double spend is deep again when a reorg moved it to a higher block', async () => {
    const { surplusDepth } = world.deps().policy;
    await control().reorg({ fate: 'moved', txids: [rival] });
    await settle();
    await world.claim(link, 8);
    await world.approve(link);
    await sendClaims(world.deps());
    const waiting = await world.linkNow(link);
    expect(waiting).toMatchObject({ status: 'approved', sendId: null });
    expect(waiting.problem).toContain('could still be mined');
    await expect(world.refund(payment, '0.1')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await mine(surplusDepth - 2);
    await sendClaims(world.deps());
    expect((await world.linkNow(link)).status).toBe('approved');
    await mine(1);
    await sendClaims(world.deps());
    expect(await world.linkNow(link)).toMatchObject({ status: 'paid', destination: world.payer(8) });
  });
});
