/** Sends from watched accounts in a restored older copy of the database: what happened to them since is not known. */
import { afterEach, describe, expect, it } from 'vitest';
import { ChainError } from '../../../src/domain/chain.ts';
import { examineSends } from '../../../src/usecases/wallet/lifecycle/examine-sends.ts';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { markRestored } from '../../../src/usecases/wallet/lifecycle/mark-restored.ts';
import { confirmUnpaid } from '../../../src/usecases/wallet/lifecycle/possibly-paid.ts';
import { expireUnsigned } from '../../../src/usecases/wallet/lifecycle/unsigned-sends.ts';
import { atoms, PsbtWorld, sign, toDebits } from './psbt-world.ts';

let world: PsbtWorld;
afterEach(async () => world.close());

const chain = { coin: 'BTC', mode: 'live' } as const;

/** An unsigned send of a restored copy. */
async function openRestored(amount = '0.004') {
  world = await PsbtWorld.open(atoms('0.01'));
  const send = await world.send(amount);
  await markRestored(world.wallet.db, world.wallet.clock);
  return send;
}

async function expire(): Promise<void> {
  world.wallet.clock.advance(world.wallet.deps.policy.approvalTtlMs + 1);
  await expireUnsigned(world.wallet.deps, chain);
}

async function retry(): Promise<void> {
  world.wallet.clock.advance(world.wallet.deps.policy.retryMaxMs + 1);
  await expireUnsigned(world.wallet.deps, chain);
}

async function findings() {
  const found = await examineSends(world.wallet.deps, world.wallet.adapter('BTC'));
  return found.map(({ send, state, why }) => ({ id: send.id, state, why }));
}

describe('an unsigned send in a restored copy', () => {
  it('fails once a block after its expiry shows its inputs unspent, and not before', async () => {
    const { id, expiresAt } = await openRestored();
    await expire();
    expect(await world.status(id)).toMatchObject({ status: 'awaiting_signature', expiresAt });
    await expect(world.send('0.004')).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await world.mine();
    await retry();
    expect((await world.status(id)).status).toBe('failed');
    expect((await world.send('0.004', { from: world.watchId })).status).toBe('awaiting_signature');
  });

  it.each([
    ['spent, or nothing', () => null],
    ['another block', () => ({ height: 9_999, hash: 'ff'.repeat(32) })],
  ])('keeps its inputs while the node shows %s', async (_name, nodeTip) => {
    const { id } = await openRestored();
    world.nodeTip = nodeTip;
    await expire();
    await world.mine();
    await retry();
    await retry();
    expect((await world.status(id)).status).toBe('awaiting_signature');
    expect(await findings()).toMatchObject([
      { id, state: 'open', why: expect.stringContaining('--not-paid') },
    ]);
    await confirmUnpaid(world.wallet.deps, id);
    await retry();
    expect((await world.status(id)).status).toBe('failed');
  });

  it('keeps its inputs while the node does not answer', async () => {
    const { id } = await openRestored();
    world.nodeTip = () => {
      throw new ChainError('unavailable', 'connection refused');
    };
    await expire();
    await world.mine();
    await retry();
    expect((await world.status(id)).status).toBe('awaiting_signature');
  });

  it('confirms by its transaction that a later block shows, with the fee that its signer chose', async () => {
    const { id, psbt } = await openRestored();
    const bumped = world.signElsewhere(psbt, 5_000n);
    await world.mine([], toDebits(bumped));
    expect(await world.status(id)).toMatchObject({ status: 'confirmed', txHash: bumped.txid });
  });

  it('fails when a block spends its inputs by a transaction that pays something else', async () => {
    const { id, psbt } = await openRestored();
    const other = world.signElsewhere(psbt);
    const pays = other.pays.map(({ watchKey, amount }) => ({ watchKey, amount: amount - 7n }));
    await world.mine([], toDebits({ ...other, txid: 'cc'.repeat(32), pays }));
    expect((await world.status(id)).status).toBe('failed');
  });
});

describe('a send of a restored copy that may be signed since', () => {
  it('cannot be cancelled, because its transaction may be in the network', async () => {
    const { id } = await openRestored();
    const { deps, merchant } = world.wallet;
    const cancel = async () => cancelSend(deps, { merchantId: merchant.id, sendId: id });
    await expect(cancel()).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect((await world.status(id)).status).toBe('awaiting_signature');
    await confirmUnpaid(deps, id);
    expect((await cancel()).status).toBe('failed');
  });

  it('is the same when its order is repeated, and takes the same signature again', async () => {
    world = await PsbtWorld.open(atoms('0.01'), atoms('0.02'));
    const order = { idempotencyKey: 'payout' };
    const { id, psbt } = await world.send('0.004', order);
    await markRestored(world.wallet.db, world.wallet.clock);
    expect((await world.send('0.004', order)).id).toBe(id);
    const { txid } = world.signElsewhere(psbt);
    expect(await world.submit(id, sign(psbt))).toMatchObject({ status: 'broadcast', txHash: txid });
    await world.mine([], toDebits(world.signElsewhere(psbt)));
    expect((await world.status(id)).status).toBe('confirmed');
    expect((await world.send('0.004', order)).id).toBe(id);
  });
});

describe('examineSends', () => {
  it('lists a send that waits for its signatures, with its expiry', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, expiresAt } = await world.send('0.004');
    expect(await findings()).toEqual([
      { id, state: 'unsigned', why: `it waits for signatures (0 of 1) until ${expiresAt}` },
    ]);
  });

  it('says when a transaction in the mempool spends its inputs', async () => {
    const { id, psbt } = await openRestored();
    world.chain.debits = toDebits(world.signElsewhere(psbt));
    await world.wallet.sync('BTC');
    expect(await findings()).toMatchObject([
      { id, state: 'open', why: expect.stringContaining('in the mempool') },
    ]);
  });
});
