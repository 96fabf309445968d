/** Transactions of sends from watched accounts whose fee their signer raised. */
import { afterEach, describe, expect, it } from 'vitest';
import { failDisplacedSends } from '../../../src/usecases/wallet/lifecycle/fail-displaced-sends.ts';
import { expireUnsigned } from '../../../src/usecases/wallet/lifecycle/unsigned-sends.ts';
import { atoms, PsbtWorld, sign, toDebits } from './psbt-world.ts';

let world: PsbtWorld;
afterEach(async () => world.close());

const chain = { coin: 'BTC', mode: 'live' } as const;

async function expire(): Promise<void> {
  world.wallet.clock.advance(world.wallet.deps.policy.approvalTtlMs + 1);
  await expireUnsigned(world.wallet.deps, chain);
}

describe('a replacement that pays the same', () => {
  it.each(['0.004', 'max'])('confirms a send of %s that expired before', async (amount) => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt, fee, amount: ordered } = await world.send(amount);
    await expire();
    expect((await world.status(id)).status).toBe('failed');
    const bumped = world.signElsewhere(psbt, 5_000n);
    await world.mine([], toDebits(bumped));
    const now = await world.status(id);
    expect(now).toMatchObject({ status: 'confirmed', txHash: bumped.txid, error: null });
    expect(atoms(now.fee)).toBe(atoms(fee) + 5_000n);
    expect(atoms(now.amount)).toBe(atoms(ordered) - (amount === 'max' ? 5_000n : 0n));
  });

  it.each(['0.004', 'max'])('confirms a send of %s whose own version was broadcast', async (amount) => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt, amount: ordered } = await world.send(amount);
    await world.submit(id, sign(psbt));
    const bumped = world.signElsewhere(psbt, 5_000n);
    await world.mine([], toDebits(bumped));
    for (let block = 0; block < 8; block += 1) await world.mine();
    await failDisplacedSends(world.wallet.deps, chain);
    const now = await world.status(id);
    expect(now).toMatchObject({ status: 'confirmed', txHash: bumped.txid });
    expect(atoms(now.amount)).toBe(atoms(ordered) - (amount === 'max' ? 5_000n : 0n));
  });

  it('confirms the send although it spends only one of its inputs', async () => {
    world = await PsbtWorld.open(atoms('0.005'), atoms('0.004'));
    const { id, psbt } = await world.send('0.0082');
    const both = world.signElsewhere(psbt);
    expect(both.inputs).toHaveLength(2);
    const inputs = both.inputs.slice(0, 1);
    await world.mine([], toDebits({ ...both, txid: 'dd'.repeat(32), inputs }));
    expect((await world.status(id)).status).toBe('confirmed');
  });

  it('confirms the newest of two orders of the same payment, and only that one', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const first = await world.send('0.004');
    await expire();
    const second = await world.send('0.004');
    await world.mine([], toDebits(world.signElsewhere(first.psbt, 5_000n)));
    expect((await world.status(second.id)).status).toBe('confirmed');
    expect((await world.status(first.id)).status).toBe('failed');
  });

  it('leaves a send failed that a transaction of another amount displaced after its expiry', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    await expire();
    const bumped = world.signElsewhere(psbt, 5_000n);
    const pays = bumped.pays.map(({ watchKey, amount }) => ({ watchKey, amount: amount - 1n }));
    await world.mine([], toDebits({ ...bumped, pays }));
    expect((await world.status(id)).status).toBe('failed');
  });

  it('is undone by a reorg, and confirmed by the next block that contains it', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    await expire();
    const bumped = world.signElsewhere(psbt, 5_000n);
    await world.mine([], toDebits(bumped));
    world.chain.drop(1);
    await world.mine();
    await world.mine();
    expect((await world.status(id)).status).toBe('broadcast');
    await world.mine([], toDebits(bumped));
    expect((await world.status(id)).status).toBe('confirmed');
  });
});
