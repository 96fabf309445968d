/** The first broadcast of a transaction that another wallet signed, refused by the node. */
import { afterEach, describe, expect, it } from 'vitest';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { atoms, PsbtWorld, sign } from './psbt-world.ts';

let world: PsbtWorld;
afterEach(async () => world.close());

const chain = { coin: 'BTC', mode: 'live' } as const;
const MISSING = { kind: 'rejected', reason: 'bad-txns-inputs-missingorspent', isSpent: true } as const;

async function submitted() {
  world = await PsbtWorld.open(atoms('0.01'));
  const { id, psbt } = await world.send('0.004');
  world.answer = MISSING;
  return world.submit(id, sign(psbt));
}
async function retry(): Promise<void> {
  world.wallet.clock.advance(600_000);
  await advanceSends(world.wallet.deps, chain);
}

describe('a signed send whose first broadcast is refused for a missing input', () => {
  it('is broadcast again, because a reorg may return its input', async () => {
    const { id, status, error } = await submitted();
    expect([status, error]).toEqual(['signed', null]);
    await expect(world.send('0.004')).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    world.chain.drop(1);
    world.answer = { kind: 'accepted' };
    await retry();
    expect((await world.status(id)).status).toBe('broadcast');
  });

  it('fails once another transaction that spends its input is deep enough', async () => {
    const { id, txHash } = await submitted();
    world.chain.fates.set(txHash ?? '', 'gone');
    await retry();
    expect((await world.status(id)).status).toBe('signed');
    for (let block = 0; block < 8; block += 1) {
      await world.mine();
      await retry();
    }
    expect((await world.status(id)).status).toBe('failed');
  });

  it('fails at once when its bytes are invalid', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    world.answer = { kind: 'rejected', reason: 'scriptpubkey' };
    await expect(world.submit(id, sign(psbt))).rejects.toMatchObject({ code: 'SEND_REJECTED' });
    expect((await world.status(id)).status).toBe('failed');
  });
});
