/** Submissions of a signed PSBT that race with each other, with the expiry and with a broadcast by the signer. */
import { afterEach, describe, expect, it } from 'vitest';
import { listVersions } from '../../../src/store/sends/send-versions.ts';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { expireUnsigned } from '../../../src/usecases/wallet/lifecycle/unsigned-sends.ts';
import { atoms, PsbtWorld, sign, toDebits } from './psbt-world.ts';

let world: PsbtWorld;
afterEach(async () => world.close());

const chain = { coin: 'BTC', mode: 'live' } as const;

async function ordered() {
  world = await PsbtWorld.open(atoms('0.01'));
  return world.send('0.004');
}
const versions = async (sendId: string): Promise<number> =>
  (await listVersions(world.wallet.db, sendId)).length;

describe('submitPsbt', () => {
  it('stores one transaction of submissions at the same time', async () => {
    const { id, psbt } = await ordered();
    const answers = await Promise.allSettled([1, 2, 3].map(async () => world.submit(id, sign(psbt))));
    expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect([await versions(id), (await world.status(id)).status]).toEqual([1, 'broadcast']);
  });

  it('either broadcasts a send or leaves it failed when it races with the expiry or a cancellation', async () => {
    for (const end of ['expire', 'cancel'] as const) {
      const { id, psbt } = await ordered();
      const { clock, deps, merchant } = world.wallet;
      if (end === 'expire') clock.advance(deps.policy.approvalTtlMs - 1);
      const [submitted] = await Promise.allSettled([
        world.submit(id, sign(psbt)),
        (async () => {
          if (end === 'cancel') return cancelSend(deps, { merchantId: merchant.id, sendId: id });
          clock.advance(1);
          return expireUnsigned(deps, chain);
        })(),
      ]);
      const { status } = await world.status(id);
      expect(status).toBe(submitted.status === 'fulfilled' ? 'broadcast' : 'failed');
      expect(await versions(id)).toBe(submitted.status === 'fulfilled' ? 1 : 0);
      if (end === 'expire') await world.close();
    }
  });

  it('shows the send when a block already contains its transaction', async () => {
    const { id, psbt } = await ordered();
    await world.mine([], toDebits(world.signElsewhere(psbt)));
    expect((await world.submit(id, sign(psbt))).status).toBe('confirmed');
    expect(await versions(id)).toBe(1);
  });

  it('keeps one version when a block shows the transaction before the answer of the node', async () => {
    const { id, psbt } = await ordered();
    world.answer = { kind: 'unknown', reason: 'timeout' };
    const elsewhere = world.signElsewhere(psbt);
    const [submitted] = await Promise.all([
      world.submit(id, sign(psbt)),
      world.mine([], toDebits(elsewhere)),
    ]);
    expect(['signed', 'confirmed']).toContain(submitted.status);
    expect((await world.status(id)).status).toBe('confirmed');
    expect(await versions(id)).toBe(1);
  });
});
