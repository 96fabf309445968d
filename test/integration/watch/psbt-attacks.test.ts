/** Transactions that spend the outputs of sends from watched accounts, and pay them otherwise than their PSBTs do. */
import { afterEach, describe, expect, it } from 'vitest';
import { findPsbt } from '../../../src/store/sends/send-psbts.ts';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { atoms, PsbtWorld, sign, type SignedElsewhere, toDebits } from './psbt-world.ts';

let world: PsbtWorld;
afterEach(async () => world.close());

const cancel = async (sendId: string) =>
  cancelSend(world.wallet.deps, { merchantId: world.wallet.merchant.id, sendId });

const payeeKey = (): string => world.wallet.adapter('BTC').watchKey(world.payee);
const stranger = (index: number): string =>
  world.wallet.deps.deriver.address({ coin: 'BTC', mode: 'live', account: 999, branch: 0, index });
const keyOf = (address: string): string => world.wallet.adapter('BTC').watchKey(address);

/** A replacement with other payments. */
function paying(psbt: string, pays: SignedElsewhere['pays'], txid = 'cc'.repeat(32)): SignedElsewhere {
  return { ...world.signElsewhere(psbt), txid, pays };
}
async function mineEmpty(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) await world.mine();
}

describe('a replacement', () => {
  it('pays a send whose amount it splits over two outputs', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    const half = { watchKey: payeeKey(), amount: atoms('0.002') };
    await world.mine([], toDebits(paying(psbt, [half, half])));
    expect((await world.status(id)).status).toBe('confirmed');
  });

  it('does not pay a send whose amount it spends on the fee', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('max');
    await world.mine([], toDebits(paying(psbt, [{ watchKey: payeeKey(), amount: 1_000n }])));
    expect((await world.status(id)).status).toBe('failed');
  });

  it('does not pay a send to several, one of whom it leaves out', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const outputs = [
      { destination: stranger(1), amount: '0.002' },
      { destination: stranger(2), amount: '0.001' },
    ];
    const { id, psbt } = await world.send('0.003', { outputs, destination: undefined, amount: undefined });
    const spent = paying(psbt, [{ watchKey: keyOf(stranger(1)), amount: atoms('0.003') }]);
    await world.mine([], toDebits(spent));
    expect(await world.status(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(`${spent.txid} pays a recipient of it, but not as ordered`),
    });
  });

  it('pays several in any order, with another output, and the change elsewhere', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const outputs = [
      { destination: stranger(1), amount: '0.002' },
      { destination: stranger(2), amount: '0.001' },
    ];
    const { id, psbt } = await world.send('0.003', { outputs, destination: undefined, amount: undefined });
    await world.mine(
      [],
      toDebits(
        paying(psbt, [
          { watchKey: keyOf(stranger(9)), amount: atoms('0.005') },
          { watchKey: keyOf(stranger(2)), amount: atoms('0.001') },
          { watchKey: keyOf(stranger(1)), amount: atoms('0.002') },
        ]),
      ),
    );
    expect((await world.status(id)).status).toBe('confirmed');
  });

  it('is recognised after more than twenty orders of the same output', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const first = await world.send('0.004');
    await cancel(first.id);
    for (let order = 0; order < 25; order += 1) {
      world.wallet.clock.advance(1);
      await cancel((await world.send(`0.003${order + 10}`)).id);
    }
    await world.mine([], toDebits(world.signElsewhere(first.psbt, 5_000n)));
    expect((await world.status(first.id)).status).toBe('confirmed');
  });

  it('keeps the output for its send after a reorg, although another send had it', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const first = await world.send('0.004');
    await cancel(first.id);
    const second = await world.send('0.003');
    const bumped = world.signElsewhere(first.psbt, 5_000n);
    await world.mine([], toDebits(bumped));
    expect((await world.status(first.id)).status).toBe('confirmed');
    expect((await world.status(second.id)).status).toBe('failed');
    world.chain.drop(1);
    await mineEmpty(2);
    expect((await world.status(first.id)).status).toBe('broadcast');
    await expect(world.send('0.004')).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await world.mine([], toDebits(bumped));
    expect((await world.status(first.id)).status).toBe('confirmed');
  });

  it('gives way to the own transaction, or another replacement, after a reorg', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt, amount } = await world.send('max');
    const signed = await world.submit(id, sign(psbt));
    const bumped = world.signElsewhere(psbt, 5_000n);
    await world.mine([], toDebits(bumped));
    expect((await world.status(id)).txHash).toBe(bumped.txid);
    world.chain.drop(1);
    await world.mine([], toDebits(world.signElsewhere(psbt)));
    await world.mine();
    expect(await world.status(id)).toMatchObject({ status: 'confirmed', txHash: signed.txHash, amount });
    world.chain.drop(2);
    const again = { ...world.signElsewhere(psbt, 9_000n), txid: 'dd'.repeat(32) };
    await world.mine([], toDebits(again));
    await mineEmpty(2);
    expect(await world.status(id)).toMatchObject({ status: 'confirmed', txHash: again.txid });
  });

  it('that pays two sends confirms one, and the other says to check it', async () => {
    world = await PsbtWorld.open(atoms('0.005'), atoms('0.006'));
    const first = await world.send('0.004');
    const second = await world.send('0.003', { destination: stranger(3) });
    const [one, two] = [world.signElsewhere(first.psbt), world.signElsewhere(second.psbt)];
    const joined = {
      ...one,
      txid: 'ee'.repeat(32),
      inputs: [...one.inputs, ...two.inputs],
      pays: [...one.pays, ...two.pays],
    };
    await world.mine([], toDebits(joined));
    const ended = await Promise.all([first, second].map(async ({ id }) => world.status(id)));
    expect(ended.toSorted((a, b) => (a.status < b.status ? -1 : 1))).toMatchObject([
      { status: 'confirmed', error: null },
      { status: 'failed', error: expect.stringContaining(`${joined.txid} pays a recipient of it`) },
    ]);
  });

  it('pays one of two orders of the same payment if it pays once', async () => {
    world = await PsbtWorld.open(atoms('0.005'), atoms('0.006'));
    const first = await world.send('0.004');
    const second = await world.send('0.004');
    const [one, two] = [world.signElsewhere(first.psbt), world.signElsewhere(second.psbt)];
    const joined = { ...one, txid: 'ee'.repeat(32), inputs: [...one.inputs, ...two.inputs] };
    await world.mine([], toDebits(joined));
    const statuses = [(await world.status(first.id)).status, (await world.status(second.id)).status];
    expect(statuses.toSorted()).toEqual(['confirmed', 'failed']);
  });

  it('confirms after the send failed by a block that a reorg dropped', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    await world.mine([], toDebits(paying(psbt, [{ watchKey: keyOf(stranger(9)), amount: 900_000n }])));
    expect((await world.status(id)).status).toBe('failed');
    world.chain.drop(1);
    await world.mine([], toDebits(world.signElsewhere(psbt)));
    await world.mine();
    expect((await world.status(id)).status).toBe('confirmed');
    world.chain.drop(2);
    await mineEmpty(3);
    expect((await world.status(id)).status).toBe('broadcast');
    await expect(world.send('0.004')).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
  });
});

describe('the idempotency key of a send whose transaction the node refused', () => {
  it('makes no second send, because its signer has the transaction', async () => {
    world = await PsbtWorld.open(atoms('0.01'), atoms('0.02'));
    const idempotencyKey = 'payout';
    const { id, psbt } = await world.send('0.004', { idempotencyKey });
    world.answer = { kind: 'rejected', reason: 'dust' };
    await expect(world.submit(id, sign(psbt))).rejects.toMatchObject({ code: 'SEND_REJECTED' });
    await expect(world.send('0.004', { idempotencyKey })).rejects.toMatchObject({ code: 'SEND_REJECTED' });
    await world.mine([], toDebits(world.signElsewhere(psbt)));
    expect((await world.status(id)).status).toBe('confirmed');
    expect((await world.send('0.004', { idempotencyKey })).id).toBe(id);
  });
});

describe('fifty at once', () => {
  it('reserve each output and change address for one send, and end each send once', async () => {
    world = await PsbtWorld.open(...Array.from({ length: 50 }, () => atoms('0.001')));
    const orders = await Promise.allSettled(Array.from({ length: 60 }, async () => world.send('0.0005')));
    const made = orders.flatMap((order) => (order.status === 'fulfilled' ? [order.value] : []));
    for (const order of orders)
      if (order.status === 'rejected') expect(order.reason).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    expect(made.length).toBe(50);
    const inputs = made.flatMap(({ psbt }) =>
      world.signElsewhere(psbt).inputs.map((ref) => JSON.stringify(ref)),
    );
    expect(new Set(inputs).size).toBe(inputs.length);
    const change = made.flatMap(({ psbt }) =>
      world.signElsewhere(psbt).pays.flatMap(({ watchKey }) => (watchKey === payeeKey() ? [] : [watchKey])),
    );
    expect(new Set(change).size).toBe(change.length);
    const answers = await Promise.allSettled(
      made.flatMap(({ id, psbt }) => [
        world.submit(id, sign(psbt)),
        cancel(id),
        world.submit(id, sign(psbt)),
        cancel(id),
      ]),
    );
    expect(answers.some(({ status }) => status === 'rejected')).toBe(true);
    for (const { id } of made) {
      const { status } = await world.status(id);
      expect(['broadcast', 'failed']).toContain(status);
      expect((await findPsbt(world.wallet.db, id))?.psbt).toBeNull();
    }
    const { db } = world.wallet;
    const held = await db.selectFrom('outputs').select('sendId').where('sendId', 'is not', null).execute();
    const open = await Promise.all(made.map(async ({ id }) => world.status(id)));
    expect(held.length).toBe(open.filter(({ status }) => status === 'broadcast').length);
    const types = await world.wallet.sendEvents();
    expect(types.filter((type) => type === 'send.broadcast').length).toBe(held.length);
    expect(types.filter((type) => type === 'send.failed').length).toBe(50 - held.length);
  });
});

describe('an account of many keys', () => {
  it('spends fewer outputs in one PSBT', async () => {
    world = await PsbtWorld.open(atoms('0.01'), atoms('0.02'), atoms('0.03'));
    const { deps } = world.wallet;
    const read: typeof deps.readWatchAccount = (...of) => {
      const account = deps.readWatchAccount(...of);
      if ('problem' in account || account.psbts === null) throw new Error('no PSBTs');
      return { ...account, psbts: { ...account.psbts, maxInputs: 2 } };
    };
    world.wallet.deps = { ...deps, readWatchAccount: read };
    await expect(world.send('max')).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      message: expect.stringContaining('0.01 BTC more is in outputs beyond the 2 of one PSBT'),
    });
    await expect(world.send('0.055')).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    expect(world.signElsewhere((await world.send('0.045')).psbt).inputs).toHaveLength(2);
  });
});
