/** Each decision about money that leaves has one line in the audit log of its shop, with the person who made it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { to } from '../../_helpers/notice-mails.ts';
import { newPerson, type Person, signedIn } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { SessionClient } from '../../_helpers/session-client.ts';
import { readable } from '../../_helpers/smtp-sink.ts';
import { paidPayment, World } from '../api/world.ts';
import { COLD_KEY } from '../forwards/forward-world.ts';
import { claimLink } from '../refunds/refund-client.ts';
import { type Approver, newApprover, prove } from './approver.ts';

const DAY_MS = 86_400_000;

interface Entry {
  readonly id: number;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
  readonly action: string;
  readonly objectId: string | null;
  readonly result: string | null;
}

let world: World;
let payee: string;
let owner: Person;
let approver: Approver;
let shop: Shop;
beforeAll(async () => {
  world = await World.start(undefined, { TILLD_LIMIT_DELAY: '1h', TILLD_FORWARD_DELAY: '24h' });
  const { api, clock } = world.till;
  payee = (await Shop.open(api)).wallets.BTC;
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  shop = await Shop.open(api, { owner: person.token });
  owner = await signedIn(api, person.email);
  await paidPayment(shop, { amount: '20000' });
  approver = await newApprover(world, owner.session, shop.merchantId);
  // A second factor counts once it is an hour old.
  clock.advance(2 * 3_600_000);
  owner = await signedIn(api, person.email);
  await prove(approver.session, approver.app);
  await change('PATCH', '/merchant/wallet/limits', { perSend: '500', approvers: [approver.userId] });
  clock.advance(2 * 3_600_000);
  await prove(approver.session, approver.app);
  owner = await signedIn(api, person.email);
});
afterAll(async () => world.end());

type Json = Readonly<Record<string, unknown>>;

async function call<T = Json>(
  session: SessionClient,
  method: string,
  path: string,
  fields: Json,
): Promise<T> {
  const answer = await session.call<T>(method, path, { merchantId: shop.merchantId, ...fields });
  expect([path, answer.body.error]).toEqual([path, null]);
  return answer.body.data;
}

const change = async <T = Json>(method: string, path: string, fields: Json = {}): Promise<T> =>
  call<T>(owner.session, method, path, fields);

async function entries(): Promise<readonly Entry[]> {
  const path = `/merchant/audit?merchantId=${shop.merchantId}`;
  const { body } = await owner.session.call<{ entries: Entry[] }>('GET', path);
  return body.data.entries;
}

/** The lines that a decision adds, oldest first. */
async function linesOf(decide: () => Promise<unknown>): Promise<readonly Entry[]> {
  const newest = (await entries())[0]?.id ?? 0;
  await decide();
  return (await entries()).filter(({ id }) => id > newest).toReversed();
}

/** A send of a hundred dollars, above a limit of fifty. */
async function held(): Promise<string> {
  const { status, body } = await shop.send({ coin: 'BTC', amount: '0.02', destination: payee });
  expect(status).toBe(202);
  return body.data.id;
}

async function claimed(): Promise<{ linkId: string; claimId: string }> {
  const payment = await paidPayment(shop, { amount: '10' });
  const link = await world.till.api.must<{ id: string; url: string }>('POST', '/payment/refund-link', {
    token: shop.secretKey,
    body: { paymentId: payment.id, amount: '5', currency: 'USD', approval: true },
  });
  await claimLink(world.till.api, link.url, { coin: 'BTC', destination: payee });
  const path = `/payment/refund-links?paymentId=${payment.id}`;
  const { refundLinks } = await world.till.api.must<{ refundLinks: { claimId: string }[] }>('GET', path, {
    token: shop.secretKey,
  });
  return { linkId: link.id, claimId: refundLinks[0]?.claimId ?? '' };
}

const LIMITS = '/merchant/wallet/limits';
const FORWARD = '/merchant/wallet/forward';
const forward = { coin: 'BTC', descriptor: COLD_KEY, threshold: '100' };

/** Prepared before the line is counted; the second function decides. */
interface Decision {
  readonly name: string;
  readonly action: string;
  readonly by?: 'owner' | 'approver' | 'key';
  readonly prepare: () => Promise<() => Promise<unknown>>;
}

const at =
  (method: string, path: string, fields: Json = {}) =>
  async () =>
  async () =>
    change(method, path, fields);

const byApprover = (verb: 'approve' | 'reject') => async () => {
  const sendId = await held();
  return async () => call(approver.session, 'POST', `/merchant/wallet/send/${verb}`, { sendId });
};

const byKey = (path: string, fields: Json = {}) =>
  world.till.api.must('POST', path, { token: shop.secretKey, body: fields });

const DECISIONS: readonly Decision[] = [
  {
    name: 'a lower limit',
    action: `PATCH ${LIMITS}`,
    prepare: at('PATCH', LIMITS, { perSend: '50', perDay: '40000' }),
  },
  {
    name: 'a higher limit that waits',
    action: `PATCH ${LIMITS}`,
    prepare: at('PATCH', LIMITS, { perDay: '50000' }),
  },
  {
    name: 'a cancelled raise',
    action: `DELETE ${LIMITS}/pending`,
    prepare: at('DELETE', `${LIMITS}/pending`),
  },
  {
    name: 'an allow-list',
    action: `PATCH ${LIMITS}`,
    prepare: async () => async () =>
      change('PATCH', LIMITS, { allowList: [{ coin: 'BTC', destination: payee, label: 'Payee' }] }),
  },
  {
    name: 'an approved send',
    action: 'POST /merchant/wallet/send/approve',
    by: 'approver',
    prepare: byApprover('approve'),
  },
  {
    name: 'a rejected send',
    action: 'POST /merchant/wallet/send/reject',
    by: 'approver',
    prepare: byApprover('reject'),
  },
  {
    name: 'an approved claim',
    action: 'POST /payment/refund-link/approve',
    prepare: async () => {
      const claim = await claimed();
      return async () => change('POST', '/payment/refund-link/approve', claim);
    },
  },
  {
    name: 'a declined claim',
    action: 'POST /payment/refund-link/cancel',
    prepare: async () => {
      const { linkId } = await claimed();
      return async () => change('POST', '/payment/refund-link/cancel', { linkId });
    },
  },
  {
    name: 'a claim that a key declines',
    action: 'POST /payment/refund-link/cancel',
    by: 'key',
    prepare: async () => {
      const { linkId } = await claimed();
      return async () => byKey('/payment/refund-link/cancel', { linkId });
    },
  },
  { name: 'a new forward', action: `PATCH ${FORWARD}`, prepare: at('PATCH', FORWARD, forward) },
  {
    name: 'a changed forward',
    action: `PATCH ${FORWARD}`,
    prepare: at('PATCH', FORWARD, { coin: 'BTC', threshold: '90' }),
  },
  {
    name: 'a paused forward',
    action: `PATCH ${FORWARD}`,
    prepare: at('PATCH', FORWARD, { coin: 'BTC', active: false }),
  },
  {
    name: 'a dropped destination of forwards',
    action: `DELETE ${FORWARD}/pending`,
    prepare: at('DELETE', `${FORWARD}/pending`, { coin: 'BTC' }),
  },
  { name: 'an ended forward', action: `DELETE ${FORWARD}`, prepare: at('DELETE', FORWARD, { coin: 'BTC' }) },
  {
    name: 'a freeze',
    action: 'POST /merchant/wallet/freeze',
    prepare: at('POST', '/merchant/wallet/freeze'),
  },
  {
    name: 'an end of a freeze',
    action: 'POST /merchant/wallet/unfreeze',
    prepare: at('POST', '/merchant/wallet/unfreeze'),
  },
  {
    name: 'a freeze by a key',
    action: 'POST /merchant/wallet/freeze',
    by: 'key',
    prepare: async () => async () => byKey('/merchant/wallet/freeze'),
  },
];

it.each(DECISIONS)(
  'the audit log has one line, with the actor, for $name',
  async ({ action, by = 'owner', prepare }) => {
    const decide = await prepare();
    const actors = {
      owner: { kind: 'user', id: owner.userId, name: owner.email },
      approver: { kind: 'user', id: approver.userId, name: approver.email },
      key: { kind: 'secret', id: shop.merchantId, name: 'Secret key' },
    };
    const made = (await linesOf(decide)).map(({ actor, action: of, result }) => ({
      actor,
      action: of,
      result,
    }));
    expect(made).toEqual([{ actor: actors[by], action, result: 'OK' }]);
  },
);

it('the audit log has one line for a forward change that a link of a mail undoes', async () => {
  await change('POST', '/merchant/wallet/unfreeze');
  // The mails of the sandbox are off until then.
  await change('PATCH', '/merchant/notices', { testPayments: true });
  await change('PATCH', FORWARD, forward);
  // Mails of earlier changes may arrive, too; their links lead nowhere.
  const local = await eventually(
    'the mail of this change',
    async () => {
      for (const mail of to(world.smtp, owner.email, /BTC is to be forwarded to another wallet/)) {
        const [link = ''] = /http\S+\/notices\/forward\?token=[^\s"<]+/.exec(readable(mail.raw)) ?? [];
        const here = link.replace(/^https?:\/\/[^/]+/, world.till.api.baseUrl);
        if ((await fetch(here)).ok) return here;
      }
      return '';
    },
    (link) => link !== '',
    30_000,
  );
  const lines = await linesOf(async () => fetch(local, { method: 'POST' }));
  expect(lines.map(({ actor, action, result }) => [actor.kind, actor.name, action, result])).toEqual([
    ['daemon', 'Link in an email', 'forward change undone', 'OK'],
  ]);
});

it('the audit log has one line for a send that expired without an approval', async () => {
  const sendId = await held();
  const lines = await linesOf(async () => {
    world.till.clock.advance(DAY_MS);
    owner = await signedIn(world.till.api, owner.email);
    await eventually(
      'the expiry',
      async () => (await entries()).some(({ action }) => action === 'approval expired'),
      (isThere) => isThere,
    );
  });
  expect(lines.filter(({ objectId }) => objectId === sendId)).toMatchObject([
    { actor: { kind: 'daemon', name: 'Approval of sends' }, action: 'approval expired', result: 'OK' },
  ]);
});
