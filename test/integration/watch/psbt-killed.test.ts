/** kill -9 at three writes of a send from a watched account. The campaign psbt-kill9.test.ts kills before each write. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireNode, toAtoms } from '../../_helpers/nodes/index.ts';
import { AMOUNT, KilledWorld } from './killed-world.ts';

describe.skipIf(!requireNode('BTC'))('a send from a watched account', () => {
  let world: KilledWorld;
  beforeAll(async () => {
    world = await KilledWorld.start();
  });
  afterAll(async () => world?.end());

  it('is paid once when the daemon is killed during its order, its signature and its confirmation', async () => {
    const watching = await world.openAccount();
    const destination = await world.foreignAddress();
    const ordered = await world.killing(
      2,
      async () => world.order(watching, destination),
      (answer) => answer?.status === 200,
    );
    const { id } = (await world.order(watching, destination)).body.data;
    const signed = await world.signed(watching, id);
    const submitted = await world.killing(
      5,
      async () => world.submit(watching, id, signed),
      () => world.statuses(destination).includes('broadcast'),
    );
    await world.mine();
    const confirmed = await world.killing(
      2,
      async () => null,
      () => world.statuses(destination).includes('confirmed'),
    );
    expect([ordered, submitted, confirmed]).toEqual([true, true, true]);
    expect((await world.order(watching, destination)).body.data.id).toBe(id);
    expect(world.statuses(destination)).toEqual(['confirmed']);
    expect(world.countReserved(destination)).toBe(0);
    expect(await world.paid(destination)).toEqual([toAtoms(AMOUNT)]);
    await world.expectEvents(destination, ['send.awaiting_signature', 'send.broadcast', 'send.confirmed']);
  });
});
