/** Which send a transaction of a block confirms, where several spent its outputs; and who may name an account. */
import { afterEach, describe, expect, it } from 'vitest';
import { findPsbt } from '../../../src/store/sends/send-psbts.ts';
import { preparingSends, stuckSends } from '../../../src/store/sends/open-sends.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { markRestored } from '../../../src/usecases/wallet/lifecycle/mark-restored.ts';
import { atoms, PsbtWorld, sign, toDebits } from './psbt-world.ts';

let world: PsbtWorld;
afterEach(async () => world.close());

const chain = { coin: 'BTC', mode: 'live' } as const;

/** Two orders of the same payment with the same output; the first one was cancelled. */
async function orderedTwice() {
  world = await PsbtWorld.open(atoms('0.01'));
  const first = await world.send('0.004');
  await cancelSend(world.wallet.deps, { merchantId: world.wallet.merchant.id, sendId: first.id });
  world.wallet.clock.advance(1);
  return { first, second: await world.send('0.004') };
}
const statuses = async (...ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await world.status(id)).status));

describe('a transaction of a block', () => {
  it('confirms the send whose own it is, although a later order of the same payment has its output', async () => {
    const { first, second } = await orderedTwice();
    await world.mine([], toDebits(world.signElsewhere(first.psbt)));
    expect(await statuses(first.id, second.id)).toEqual(['confirmed', 'failed']);
  });

  it('confirms the send that a reorg returned its output to, and no later order of the same payment', async () => {
    const { first, second } = await orderedTwice();
    await world.mine([], toDebits(world.signElsewhere(first.psbt)));
    world.chain.drop(1);
    await world.mine();
    await world.mine();
    expect(await statuses(first.id, second.id)).toEqual(['broadcast', 'failed']);
    await world.mine([], toDebits(world.signElsewhere(first.psbt, 5_000n)));
    expect(await statuses(first.id, second.id)).toEqual(['confirmed', 'failed']);
  });

  it('changes nothing of a send that another one confirmed', async () => {
    world = await PsbtWorld.open(atoms('0.005'), atoms('0.004'));
    const { id, psbt } = await world.send('0.0082');
    const both = world.signElsewhere(psbt);
    expect(both.inputs).toHaveLength(2);
    const [one, two] = both.inputs.map((input) => [input]);
    await world.mine([], toDebits({ ...both, txid: 'd1'.repeat(32), inputs: one ?? [] }));
    await world.mine([], toDebits({ ...both, txid: 'd2'.repeat(32), inputs: two ?? [] }));
    expect(await world.status(id)).toMatchObject({ status: 'confirmed', txHash: 'd1'.repeat(32) });
    const spenders = await world.wallet.db
      .selectFrom('outputs')
      .select('spentBy')
      .orderBy('spentBy')
      .execute();
    expect(spenders.map(({ spentBy }) => spentBy)).toEqual(['d1'.repeat(32), 'd2'.repeat(32)]);
  });

  it('does not pay a send whose destination it charges the fee that the wallet pays', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    const pays = [
      { watchKey: world.wallet.adapter('BTC').watchKey(world.payee), amount: atoms('0.004') - 5_000n },
      { watchKey: '0014'.padEnd(44, '9'), amount: atoms('0.006') },
    ];
    await world.mine([], toDebits({ ...world.signElsewhere(psbt), txid: 'cc'.repeat(32), pays }));
    expect((await world.status(id)).status).toBe('failed');
  });

  it('whose payments are not shown ends no send of a restored copy', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    await markRestored(world.wallet.db, world.wallet.clock);
    const debits = toDebits({ ...world.signElsewhere(psbt), txid: 'cc'.repeat(32) });
    await world.mine(
      [],
      debits.map(({ ref, byTxid }) => ({ ref, byTxid })),
    );
    expect((await world.status(id)).status).toBe('awaiting_signature');
  });
});

it('a send by PSBT is neither planned again nor replaced by the till', async () => {
  world = await PsbtWorld.open(atoms('0.01'), atoms('0.02'));
  await world.send('0.004');
  const signed = await world.send('0.005');
  await world.submit(signed.id, sign(signed.psbt));
  const { db, clock } = world.wallet;
  const now = clock.now() + 1_000_000_000;
  expect(await preparingSends(db, chain, { now, impossible: now }, 10)).toEqual([]);
  expect(await preparingSends(db, chain, { now: -1, impossible: -1 }, 10)).toEqual([]);
  expect(await stuckSends(db, chain, { signedBefore: now, now }, 10)).toEqual([]);
});

it('a send whose signed transaction was broadcast is replaced and cancelled by its own wallet alone', async () => {
  world = await PsbtWorld.open(atoms('0.01'));
  const { id, psbt } = await world.send('0.004');
  await world.submit(id, sign(psbt));
  const { deps, merchant } = world.wallet;
  const of = { merchantId: merchant.id, sendId: id };
  const refused = { code: 'INVALID_STATE', message: expect.stringContaining('the wallet that has the keys') };
  await expect(cancelSend(deps, of)).rejects.toMatchObject(refused);
  await expect(bumpSend(deps, { ...of, maxFee: '0.001' })).rejects.toMatchObject(refused);
  expect((await world.status(id)).status).toBe('broadcast');
});

it('a send above its fee budget gets no PSBT', async () => {
  world = await PsbtWorld.open(atoms('0.01'));
  const order = world.send('0.004', { maxFee: '0.00000001' });
  await expect(order).rejects.toMatchObject({ code: 'FEE_ABOVE_LIMIT' });
  expect(await world.wallet.db.selectFrom('send_psbts').select('sendId').execute()).toEqual([]);
});

describe('from', () => {
  it('is refused for the account of another shop, and for one that was not confirmed', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { merchant, db } = world.wallet;
    const from = world.watchId;
    const refused = { code: 'VALIDATION_INVALID', details: [{ field: 'from' }] };
    await expect(
      world.send('0.004', { from, merchant: { ...merchant, id: 'mer_other' } }),
    ).rejects.toMatchObject(refused);
    await db.updateTable('watch_accounts').set({ confirmedAt: null }).execute();
    await expect(world.send('0.004', { from })).rejects.toMatchObject(refused);
  });

  it('spends no output that is frozen, reserved, spent, unconfirmed, or on no account', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { db, merchant } = world.wallet;
    const { inputs } = world.signElsewhere((await world.send('0.004')).psbt);
    expect(inputs).toHaveLength(1);
    const short = { code: 'INSUFFICIENT_BALANCE' };
    await expect(world.send('0.004')).rejects.toMatchObject(short);
    const [ref] = inputs;
    if (ref === undefined) throw new Error('no input');
    const { txid, index: vout } = ref;
    await db.updateTable('outputs').set({ sendId: null }).execute();
    await db
      .insertInto('frozen_outputs')
      .values({ ...chain, txid, vout, frozenAt: 0 })
      .execute();
    await expect(world.send('0.003')).rejects.toMatchObject(short);
    await db.deleteFrom('frozen_outputs').execute();
    await db
      .updateTable('outputs')
      .set({ spentBy: 'ab'.repeat(32) })
      .execute();
    await expect(world.send('0.003')).rejects.toMatchObject(short);
    await db.updateTable('outputs').set({ spentBy: null }).execute();
    const onAccount = db.updateTable('addresses').where('merchantId', '=', merchant.id);
    await onAccount.set(({ eb }) => ({ idx: eb('idx', '-', 2 ** 40) })).execute();
    await expect(world.send('0.003')).rejects.toMatchObject(short);
    await onAccount.set(({ eb }) => ({ idx: eb('idx', '+', 2 ** 40) })).execute();
    expect((await world.send('0.003')).status).toBe('awaiting_signature');
    await db.updateTable('outputs').set({ sendId: null, state: 'unconfirmed', height: null }).execute();
    await expect(world.send('0.002')).rejects.toMatchObject(short);
  });
});

it('a signature that arrives while the previous transactions are fetched counts', async () => {
  world = await PsbtWorld.open(atoms('0.01'));
  world.beforePrevious = async () => {
    const { id, psbt } = await world.wallet.db
      .selectFrom('send_psbts')
      .select(['sendId as id', 'psbt'])
      .executeTakeFirstOrThrow();
    await world.submit(id, sign(psbt ?? ''));
  };
  const { id } = await world.send('0.004');
  expect((await world.status(id)).status).toBe('broadcast');
  expect((await findPsbt(world.wallet.db, id))?.psbt).toBeNull();
});
