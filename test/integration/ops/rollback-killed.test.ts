import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { buildSources } from '../../_helpers/installed.ts';
import {
  isRollingBack,
  keptByRollbacks,
  killRollback,
  ROLLBACK_STEPS,
} from '../../_helpers/killed-updates.ts';
import { eventually } from '../../_helpers/poll.ts';
import { UpdateWorld } from '../../_helpers/updates.ts';

const LIMIT_MS = 1_200_000;
const SANDBOX_ADDRESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

let world: UpdateWorld;
let shop: Shop;
/** Addresses of every payment that was ever answered. */
const addresses = new Set<string>();

beforeAll(async () => {
  world = await UpdateWorld.create(buildSources(), '0.1.0');
  world.service('start');
  await world.ready();
  shop = await Shop.open(world.api);
}, LIMIT_MS);
afterAll(() => world?.end());

/** Creates a payment at an address that no payment had before; its id. */
async function order(): Promise<string> {
  const { id, options } = await shop.createPayment();
  for (const { address } of Object.values(options)) {
    expect(addresses).not.toContain(address);
    addresses.add(address);
  }
  return id;
}

let version = 2;
/** Updates to a release with a newer schema; a payment from before, and one of since. */
async function update(): Promise<{ before: string; since: string }> {
  await world.ready();
  const before = await order();
  const updated = await world.update(world.archive(`0.${(version += 1)}.0`, { migrates: true }));
  expect(updated.code, updated.output).toBe(0);
  await world.ready();
  return { before, since: await order() };
}

async function statusOf(id: string): Promise<number> {
  return (await world.api.call('GET', `/payment/get?paymentId=${id}`, { token: shop.secretKey })).status;
}

describe('tillctl rollback', () => {
  it.each(ROLLBACK_STEPS)(
    'completes when it is run again after kill -9 at %s, and loses only payments that it has listed',
    async (step) => {
      const { before, since } = await update();
      const newer = world.current;
      await killRollback(world, '0.1.0', step);
      const isNoted = isRollingBack(world);
      const { output } = await world.tillctl('status');
      expect(output.includes('a rollback is not finished: run tillctl rollback --yes')).toBe(isNoted);
      // As after a reboot: whichever release is the current one runs, and serves what its database has.
      world.service('start');
      expect([newer, '0.1.0']).toContain(await world.responds());
      expect((await shop.payment(before)).id).toBe(before);
      const between = await order();
      const done = await world.tillctl('rollback', '--yes');
      expect(done, done.output).toMatchObject({
        code: 0,
        output: expect.stringContaining('tilld is 0.1.0 again'),
      });
      expect([world.current, await world.responds()]).toEqual(['0.1.0', '0.1.0']);
      expect([(await shop.payment(before)).id, await statusOf(since)]).toEqual([before, 404]);
      // Made by the old release, it stays; made by the newer one, the second run has listed it.
      const isListed = /payments +[1-9]/.test(done.output);
      expect([step, await statusOf(between)]).toEqual([step, isListed ? 404 : 200]);
      await order();
      expect(await world.tillctl('check')).toMatchObject({ code: 0 });
      expect(existsSync(join(world.dataDir, 'update.tmp'))).toBe(false);
      expect(keptByRollbacks(world).length).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it(
    'refuses to continue while a send of the newer release since the kill is not settled',
    async () => {
      const { before } = await update();
      const newer = world.current;
      await killRollback(world, '0.1.0', 'noting that it has begun');
      world.service('start');
      await world.ready();
      const id = await order();
      const body = { paymentId: id, scenario: 'exact', coin: 'BTC' };
      await world.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
      await eventually(
        'the payment is completed',
        async () => shop.payment(id),
        ({ status }) => status === 'completed',
      );
      const sent = await shop.send({ coin: 'BTC', amount: '0.0001', destination: SANDBOX_ADDRESS });
      const sendId = sent.body.data.id;
      await eventually(
        'the send is confirmed',
        async () =>
          world.api.must<{ status: string }>('GET', `/merchant/wallet/send-status?sendId=${sendId}`, {
            token: shop.secretKey,
          }),
        ({ status }) => status === 'confirmed',
      );
      // As if it were of real money, and had just been ordered.
      const mark = (mode: string, status: string) =>
        world.whenStopped(`
          import { DatabaseSync } from 'node:sqlite';
          new DatabaseSync(${JSON.stringify(join(world.dataDir, 'tilld.sqlite'))})
            .exec("UPDATE sends SET mode = '${mode}', status = '${status}' WHERE id = '${sendId}'");`);
      const ordered = mark('live', 'broadcast');
      const refused = await world.tillctl('rollback', '--yes');
      ordered.remove();
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('1 sends since the update') });
      expect([world.current, await world.responds()]).toEqual([newer, newer]);
      const settled = mark('sandbox', 'confirmed');
      world.service('stop');
      settled.remove();
      world.service('start');
      await world.ready();
      expect(await world.tillctl('rollback', '--yes')).toMatchObject({ code: 0 });
      expect([world.current, (await shop.payment(before)).id]).toEqual(['0.1.0', before]);
    },
    LIMIT_MS,
  );
});
