/** Sends above a limit whose money comes from a watched account: the source is decided when they are ordered. */
import { afterEach, describe, expect, it } from 'vitest';
import { decideApproval, findApproval } from '../../../src/store/sends/send-approvals.ts';
import { markWatchRestored } from '../../../src/store/ledger/watch-accounts.ts';
import { examineHeld, expireApprovals, expireHeld } from '../../../src/usecases/approvals/index.ts';
import { markRestored } from '../../../src/usecases/wallet/lifecycle/mark-restored.ts';
import { sendApproved } from '../../../src/usecases/wallet/send/send-coins.ts';
import type { SendView } from '../../../src/usecases/wallet/send/send-view.ts';
import { atoms, PsbtWorld } from './psbt-world.ts';

let world: PsbtWorld;
afterEach(async () => world.close());

/** A send of 600 dollars above the limit of the day. */
async function held(): Promise<SendView> {
  world = await PsbtWorld.open(atoms('0.01'));
  await world.limitPerDay(500n);
  return world.send('0.006');
}

/** New orders are paid to the wallet of the till again. */
async function endWatching(): Promise<void> {
  const { db, clock } = world.wallet;
  await db.transaction(async (tx) => markWatchRestored(tx, clock.now()));
}

async function approve(sendId: string): Promise<SendView> {
  const { deps, db, merchant, clock } = world.wallet;
  const stored = await findApproval(db, sendId);
  if (stored === undefined) throw new Error('it does not wait for an approval');
  return sendApproved(deps, {
    merchant,
    held: stored,
    approve: async (tx) => {
      await decideApproval(tx, sendId, { status: 'approved', decidedBy: null, now: clock.now() });
    },
  });
}

describe('a send that waits for an approval', () => {
  it('names the account that it is from, as does the send that it becomes', async () => {
    const { id, status, from } = await held();
    expect([status, from]).toEqual(['pending_approval', world.watchId]);
    expect((await world.status(id)).from).toBe(world.watchId);
    expect(await approve(id)).toMatchObject({ status: 'awaiting_signature', from: world.watchId });
    expect((await world.status(id)).from).toBe(world.watchId);
  });

  it('keeps its account when new orders are paid elsewhere since', async () => {
    const { id } = await held();
    await endWatching();
    expect(await approve(id)).toMatchObject({ status: 'awaiting_signature', from: world.watchId });
  });

  it('is not made from another source when its account can no longer pay', async () => {
    const { id } = await held();
    const { db } = world.wallet;
    await db
      .updateTable('outputs')
      .set({ spentBy: 'ab'.repeat(32), spentHeight: 1 })
      .execute();
    await endWatching();
    await expect(approve(id)).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      message: expect.stringContaining('on the watched account'),
    });
    expect((await world.status(id)).status).toBe('pending_approval');
  });
});

describe('a send of a restored copy that waits for an approval', () => {
  it('is shown to the operator, who ends it, and is then neither approved nor ordered again', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    await world.limitPerDay(500n);
    const order = { idempotencyKey: 'payout' };
    const { id, expiresAt } = await world.send('0.006', order);
    const { db, clock, deps } = world.wallet;
    const found = async () => examineHeld(deps, { coin: 'BTC', mode: 'live' });
    expect(await found()).toMatchObject([
      { held: { id }, isRestored: false, why: `it waits for an approval until ${expiresAt}` },
    ]);
    await markRestored(db, clock);
    expect(await found()).toMatchObject([
      { held: { id }, isRestored: true, why: expect.stringContaining(`tillctl sends --expire ${id}`) },
    ]);
    await expireHeld(deps, id);
    expect(await found()).toEqual([]);
    const now = clock.now();
    const approved = db.transaction(async (tx) =>
      decideApproval(tx, id, { status: 'approved', decidedBy: null, now }),
    );
    expect(await approved).toBe(false);
    await expireApprovals({ ...deps, secretBox: { seal: String, open: String } });
    expect((await world.status(id)).status).toBe('expired');
    const events = await db.selectFrom('events').select('type').orderBy('seq').execute();
    expect(events.map(({ type }) => type)).toEqual(['send.pending_approval', 'send.expired']);
    expect(await world.send('0.006', order)).toMatchObject({ id, status: 'expired' });
    await expect(expireHeld(deps, id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(expireHeld(deps, 'snd_unknown')).rejects.toMatchObject({ code: 'SEND_NOT_FOUND' });
  });
});
