/** Sends from watched accounts that their signers broadcast themselves, and those that wait over a day. */
import { afterEach, describe, expect, it } from 'vitest';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { expireUnsigned } from '../../../src/usecases/wallet/lifecycle/unsigned-sends.ts';
import { atoms, PsbtWorld, sign, toDebits } from './psbt-world.ts';

let world: PsbtWorld;
afterEach(async () => world.close());

const chain = { coin: 'BTC', mode: 'live' } as const;
const DAY_MS = 86_400_000;

async function expire(): Promise<void> {
  world.wallet.clock.advance(world.wallet.deps.policy.approvalTtlMs + 1);
  await expireUnsigned(world.wallet.deps, chain);
}
const cancel = async (sendId: string) =>
  cancelSend(world.wallet.deps, { merchantId: world.wallet.merchant.id, sendId });

describe('a send whose signer broadcast its transaction', () => {
  it('is neither ended nor cancelled while its transaction is in the mempool, and confirms in a block', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    const elsewhere = world.signElsewhere(psbt);
    world.chain.debits = toDebits(elsewhere);
    world.chain.others = [elsewhere.txid];
    await world.wallet.sync('BTC');
    await expect(cancel(id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expire();
    expect((await world.status(id)).status).toBe('awaiting_signature');
    world.chain.debits = [];
    await world.mine([], toDebits(elsewhere));
    expect(await world.status(id)).toMatchObject({ status: 'confirmed', txHash: elsewhere.txid });
    expect(await world.wallet.sendEvents()).toEqual(['send.awaiting_signature', 'send.confirmed']);
  });

  it('ends once its transaction left the mempool without a block', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    world.chain.debits = toDebits(world.signElsewhere(psbt));
    await world.wallet.sync('BTC');
    await expire();
    world.chain.debits = [];
    await world.wallet.sync('BTC');
    await expire();
    expect((await world.status(id)).status).toBe('failed');
  });

  it('confirms by a replacement with a higher fee that pays the same', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt, fee } = await world.send('0.004');
    const bumped = world.signElsewhere(psbt, 5_000n);
    await world.mine([], toDebits(bumped));
    const now = await world.status(id);
    expect(now).toMatchObject({ status: 'confirmed', txHash: bumped.txid, amount: '0.004' });
    expect(atoms(now.fee)).toBe(atoms(fee) + 5_000n);
  });

  it('fails when the transaction in the block pays the destination less', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    const bumped = world.signElsewhere(psbt, 5_000n);
    const pays = bumped.pays.map(({ watchKey, amount }) => ({ watchKey, amount: amount - 1n }));
    await world.mine([], toDebits({ ...bumped, pays }));
    expect((await world.status(id)).status).toBe('failed');
  });
});

describe('a send that ended before its signer broadcast its transaction', () => {
  it('confirms, and keeps its outputs reserved when a reorg drops its block', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    await expire();
    expect((await world.status(id)).status).toBe('failed');
    const elsewhere = world.signElsewhere(psbt);
    await world.mine([], toDebits(elsewhere));
    expect((await world.status(id)).status).toBe('confirmed');
    world.chain.drop(1);
    await world.mine();
    await world.mine();
    expect((await world.status(id)).status).toBe('broadcast');
    await expect(world.send('0.004')).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await world.mine([], toDebits(elsewhere));
    expect((await world.status(id)).status).toBe('confirmed');
  });

  it('leaves the confirmation to a later order of the same transaction', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const rejected = await world.send('max');
    world.answer = { kind: 'rejected', reason: 'dust' };
    await expect(world.submit(rejected.id, sign(rejected.psbt))).rejects.toMatchObject({
      code: 'SEND_REJECTED',
    });
    world.wallet.clock.advance(1);
    const again = await world.send('max');
    const elsewhere = world.signElsewhere(again.psbt);
    expect(elsewhere.txid).toBe(world.signElsewhere(rejected.psbt).txid);
    await world.mine([], toDebits(elsewhere));
    expect((await world.status(rejected.id)).status).toBe('failed');
    expect((await world.status(again.id)).status).toBe('confirmed');
  });
});

describe('a send that is signed on the day after its order', () => {
  it('counts against the limit of the day of its order alone', async () => {
    world = await PsbtWorld.open(atoms('0.01'), atoms('0.01'));
    await world.limitPerDay(800n);
    const first = await world.send('0.006');
    world.wallet.clock.advance(DAY_MS - 1);
    const second = await world.send('0.006');
    expect((await world.submit(first.id, sign(first.psbt))).status).toBe('broadcast');
    expect((await world.submit(second.id, sign(second.psbt))).status).toBe('broadcast');
  });
});

describe('a signature after the limits were lowered', () => {
  it.each(['perSend', 'perDay'] as const)('needs an approval above %s, and none at it', async (limit) => {
    world = await PsbtWorld.open(atoms('0.01'), atoms('0.01'));
    const sent = await world.send('0.006');
    await world.limit({ [limit]: { minor: 599_99n, currency: 'USD' } });
    await expect(world.submit(sent.id, sign(sent.psbt))).rejects.toMatchObject({ send: { id: sent.id } });
    expect(await world.status(sent.id)).toMatchObject({ status: 'awaiting_signature', txHash: null });
    await world.limit({ [limit]: { minor: 600_00n, currency: 'USD' } });
    expect((await world.submit(sent.id, sign(sent.psbt))).status).toBe('broadcast');
  });
});

describe('a repeated order', () => {
  it('is refused when it names another source of its money', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const idempotencyKey = 'one order';
    const { id } = await world.send('0.004', { idempotencyKey });
    expect((await world.send('0.004', { idempotencyKey, from: world.watchId })).id).toBe(id);
    await expect(world.send('0.004', { idempotencyKey, from: 'own' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_MISMATCH',
    });
  });
});
