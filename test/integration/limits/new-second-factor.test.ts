/** A thief with a session and the password of an owner sets up an authenticator app to approve a send. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { newPerson } from '../../_helpers/people.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { paidPayment, PASSWORD, totpCode, World } from '../api/world.ts';

const DAY_MS = 86_400_000;

let world: World;
beforeAll(async () => {
  world = await World.start(undefined, { TILLD_LIMIT_DELAY: '24h' });
});
afterAll(async () => world.end());

/** An owner with a fresh authenticator app, and a send that waits. */
async function open() {
  const { api, clock } = world.till;
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  const shop = await Shop.open(api, { owner: person.token });
  const { email } = person;
  const password = PASSWORD;
  let session = await SessionClient.signIn(api.baseUrl, { email, password });
  await session.call('POST', '/auth/step-up', { password });
  const limits = { merchantId: shop.merchantId, perSend: '1' };
  expect((await session.call('PATCH', '/merchant/wallet/limits', limits)).body.error).toBeNull();
  await paidPayment(shop, { amount: '20000' });
  const setUp = await session.call<{ secret: string }>('POST', '/auth/totp/setup', { password });
  const { secret } = setUp.body.data;
  const enabledAt = clock.now();
  const enabled = await session.call('POST', '/auth/totp/enable', { code: totpCode(secret, enabledAt) });
  expect(enabled.body.error).toBeNull();
  const nextCode = (): string => {
    clock.advance(30_000);
    return totpCode(secret, clock.now());
  };
  return {
    enabledAt,
    send: async (): Promise<string> => {
      const { wallets } = await Shop.open(api);
      const held = await shop.send({ coin: 'BTC', amount: '0.001', destination: wallets.BTC });
      expect(held.status).toBe(202);
      return held.body.data.id;
    },
    signIn: async (): Promise<void> => {
      session = await SessionClient.signIn(api.baseUrl, { email, password, code: nextCode() });
    },
    approve: async (sendId: string) => {
      const proven = await session.call('POST', '/auth/step-up', { code: nextCode() });
      expect(proven.body.error).toBeNull();
      const body = { merchantId: shop.merchantId, sendId };
      return session.call('POST', '/merchant/wallet/send/approve', body);
    },
  };
}

describe('a send approval with an authenticator app that was set up less than TILLD_LIMIT_DELAY ago', () => {
  it('is refused with the time from which it is possible, and succeeds after that time', async () => {
    const owner = await open();
    const refused = await owner.approve(await owner.send());
    expect([refused.status, refused.body.error]).toMatchObject([
      403,
      { code: 'FORBIDDEN', details: [{ field: 'approver', code: 'new_second_factor' }] },
    ]);
    const shown = /it counts from (\S+)$/.exec(refused.body.error?.message ?? '')?.[1] ?? '';
    expect(Date.parse(shown)).toBeGreaterThanOrEqual(owner.enabledAt + DAY_MS);
    expect(Date.parse(shown)).toBeLessThan(owner.enabledAt + DAY_MS + 30_000);
    world.till.clock.advance(DAY_MS);
    await owner.signIn();
    const approved = await owner.approve(await owner.send());
    expect([approved.status, approved.body.error]).toEqual([200, null]);
  });
});
