/** The list of what waits for the people of a shop: what is on it, for whom, and how it leaves it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paymentAttention } from '../../../src/domain/attention.ts';
import { PAYMENT_EXCEPTIONS, PAYMENT_STATUSES } from '../../../src/domain/payment/types.ts';
import { countWaitingPayments, listWaitingPayments } from '../../../src/store/attention/waiting-payments.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { openGroupWorld } from '../../_helpers/payment-group-world.ts';
import { newMember, newPerson, type Person } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { claimLink, type RefundLinkJson } from '../refunds/refund-client.ts';

interface Item {
  id: string;
  kind: string;
  severity: string;
  since: string | null;
  subject: Record<string, string | null>;
  mayDismiss: boolean;
  amount: string | null;
  currency: string | null;
  price: string | null;
  approval: { requestedBy: string | null; reasons: string[]; expiresAt: string } | null;
  action: { type: string; url: string };
}
interface List {
  items: Item[];
  pagination: { page: number; limit: number; total: number };
}

let till: Till;

beforeAll(async () => {
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' });
  await till.ready();
});
afterAll(async () => till.end());

const simulate = async (shop: Shop, paymentId: string, fields: object): Promise<unknown> =>
  till.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId, coin: 'BTC', ...fields },
  });

const list = async (shop: Shop, query = '', token = shop.secretKey): Promise<List> =>
  till.api.must<List>('GET', `/merchant/attention?merchantId=${shop.merchantId}&${query}`, { token });

const kinds = async (shop: Shop, token?: string): Promise<string[]> =>
  (await list(shop, 'limit=100', token)).items.map(({ kind }) => kind);

const dismiss = async (shop: Shop, id: string, token = shop.secretKey) =>
  till.api.call<{ id: string; dismissedAt: string }>('POST', '/merchant/attention/dismiss', {
    token,
    body: { merchantId: shop.merchantId, id, note: 'settled by phone' },
  });

const overpaid = async (shop: Shop): Promise<string> => {
  const { id } = await shop.createPayment();
  await simulate(shop, id, { scenario: 'overpay', confirmations: 6 });
  await eventually(
    'the payment to complete',
    () => shop.payment(id),
    ({ status }) => status === 'completed',
  );
  return id;
};

/** A refund link whose claim waits for approval. */
const claimed = async (shop: Shop): Promise<void> => {
  const { url } = await till.api.must<RefundLinkJson>('POST', '/payment/refund-link', {
    token: shop.secretKey,
    body: { paymentId: await overpaid(shop), preset: 'excess', approval: true },
  });
  const { wallets } = await Shop.open(till.api);
  await claimLink(till.api, url, { coin: 'BTC', destination: wallets.BTC });
};

const reversed = async (shop: Shop): Promise<string> => {
  const { id } = await shop.createPayment();
  await simulate(shop, id, { scenario: 'double-spend' });
  return id;
};

describe('GET /merchant/attention (open decisions of the shop)', () => {
  it('lists each open problem with its amount, its page and one action, urgent ones first', async () => {
    const shop = await Shop.open(till.api);
    await shop.createPayment();
    expect(await list(shop)).toEqual({ items: [], pagination: { page: 1, limit: 10, total: 0 } });
    const gone = await reversed(shop);
    const over = await overpaid(shop);
    const { id: fine } = await shop.createPayment();
    await simulate(shop, fine, { scenario: 'exact', confirmations: 6 });
    const { items } = await list(shop);
    expect(items.map(({ id, kind, severity }) => [id, kind, severity])).toEqual([
      [gone, 'payment_reversed', 'urgent'],
      [over, 'payment_over', 'normal'],
    ]);
    const [first, second] = items;
    expect(first).toMatchObject({
      amount: '100',
      currency: 'USD',
      subject: { paymentId: gone, sendId: null },
      action: { type: 'request_payment' },
    });
    expect(first?.action.url).toMatch(new RegExp(`/checkout/${gone}$`));
    expect(second).toMatchObject({ currency: 'BTC', action: { type: 'refund_excess' } });
    expect(Number(second?.amount)).toBeGreaterThan(0);
    expect(second?.action.url).toContain(`/dashboard/shop/${shop.merchantId}/payments/${over}`);
    const paged = await list(shop, 'page=2&limit=1');
    expect(paged.items.map(({ id }) => id)).toEqual([over]);
    expect(paged.pagination).toEqual({ page: 2, limit: 1, total: 2 });
  });

  it('asks for a new payment in place of a reversed one that can no longer be paid', async () => {
    const shop = await Shop.open(till.api);
    const gone = await reversed(shop);
    const cancelled = { token: shop.secretKey, body: { paymentId: gone } };
    await till.api.must('POST', '/payment/cancel', cancelled);
    const { items } = await list(shop);
    expect(items).toMatchObject([{ kind: 'payment_reversed', action: { type: 'replace_payment' } }]);
    expect(items[0]?.action.url).toContain(`/dashboard/shop/${shop.merchantId}/payments/${gone}`);
  });

  it('lists an underpaid payment and late money after the deadline, until the shop has decided about them', async () => {
    const shop = await Shop.open(till.api, { settings: { latePayments: 'review' } });
    const { id: short } = await shop.createPayment({ lifetimeMinutes: 5 });
    await simulate(shop, short, { scenario: 'underpay', confirmations: 6 });
    expect(await kinds(shop)).toEqual([]);
    till.clock.advance(6 * 60_000);
    const { id: late } = await shop.createPayment();
    await simulate(shop, late, { scenario: 'late', confirmations: 6 });
    await eventually(
      'both to wait',
      () => kinds(shop),
      (now) => now.length === 2,
    );
    const { items } = await list(shop);
    expect(new Map(items.map(({ id, kind }) => [id, kind]))).toEqual(
      new Map([
        [short, 'payment_short'],
        [late, 'payment_late'],
      ]),
    );
    const shown = items.find(({ id }) => id === short);
    expect(shown).toMatchObject({ price: '100', currency: 'USD' });
    expect(Number(shown?.amount)).toBeLessThan(100);
    for (const paymentId of [short, late]) {
      const body = { paymentId, action: 'accept' };
      await till.api.must('POST', '/payment/resolve', { token: shop.secretKey, body });
    }
    expect(await kinds(shop)).toEqual([]);
  });

  it('lists an overpayment until a refund link offers it to the payer, and then the claim that needs approval', async () => {
    const shop = await Shop.open(till.api);
    const paymentId = await overpaid(shop);
    expect(await kinds(shop)).toEqual(['payment_over']);
    const { id, url } = await till.api.must<RefundLinkJson>('POST', '/payment/refund-link', {
      token: shop.secretKey,
      body: { paymentId, preset: 'excess', approval: true },
    });
    expect(await kinds(shop)).toEqual([]);
    const { wallets } = await Shop.open(till.api);
    await claimLink(till.api, url, { coin: 'BTC', destination: wallets.BTC });
    const [claim] = (await list(shop)).items;
    expect(claim).toMatchObject({ id, kind: 'refund_claim', currency: 'USD' });
    expect(claim?.subject).toMatchObject({ paymentId, linkId: id });
    const body = { linkId: id, claimId: claim?.subject['claimId'] };
    await till.api.must('POST', '/payment/refund-link/approve', { token: shop.secretKey, body });
    await eventually(
      'the claim to be sent',
      () => kinds(shop),
      (now) => now.length === 0,
    );
  });
});

/** A shop with a send that waits for an approval. */
const openWithHeldSend = async () => {
  const owner = await newPerson(till.api, 'owner');
  const shop = await Shop.open(till.api, { owner: owner.token });
  const { id: paid } = await shop.createPayment();
  await simulate(shop, paid, { scenario: 'exact', confirmations: 6 });
  await eventually(
    'the payment to complete',
    () => shop.payment(paid),
    ({ status }) => status === 'completed',
  );
  const limits = { merchantId: shop.merchantId, perSend: '1' };
  await till.api.must('PATCH', '/merchant/wallet/limits', { token: owner.token, body: limits });
  const { wallets } = await Shop.open(till.api);
  const sent = await shop.send({ coin: 'BTC', amount: '0.0001', destination: wallets.BTC });
  expect(sent.status).toBe(202);
  return { owner, shop, sendId: sent.body.data.id, destination: wallets.BTC };
};

describe('GET /merchant/attention with a send above a limit', () => {
  it('shows its requester, its destination and why it needs approval, until someone decides', async () => {
    const { owner, shop, sendId, destination } = await openWithHeldSend();
    const [item] = (await list(shop)).items;
    expect(item).toMatchObject({
      id: sendId,
      kind: 'send_approval',
      severity: 'urgent',
      amount: '0.0001',
      currency: 'BTC',
      subject: { sendId, coin: 'BTC', destination },
      approval: { requestedBy: 'Secret key', reasons: ['per_send'] },
      action: { type: 'approve_send' },
    });
    expect(Date.parse(item?.approval?.expiresAt ?? '')).toBeGreaterThan(till.clock.now());
    expect(item?.action.url).toMatch(new RegExp(`/shop/${shop.merchantId}/wallet\\?approve=${sendId}$`));
    const body = { merchantId: shop.merchantId, sendId };
    await till.api.must('POST', '/merchant/wallet/send/reject', { token: owner.token, body });
    expect(await kinds(shop)).toEqual([]);
  });

  it('cannot be dismissed by a member without permission to send, and disappears when the send expires', async () => {
    const { owner, shop, sendId } = await openWithHeldSend();
    const member = await newMember(till.api, owner.session, { merchantId: shop.merchantId, role: 'manager' });
    const { items } = await list(shop, '', member.token);
    expect(items.map(({ kind, mayDismiss }) => [kind, mayDismiss])).toEqual([['send_approval', false]]);
    expect((await dismiss(shop, sendId, member.token)).status).toBe(403);
    till.clock.advance(25 * 3_600_000);
    expect(await kinds(shop)).toEqual([]);
  });
});

it('GET /merchant/attention lists each item on exactly one page, and beyond the last page only the total', async () => {
  const shop = await Shop.open(till.api);
  const ids = [await reversed(shop), await reversed(shop), await reversed(shop)];
  const pages = [await list(shop, 'limit=2'), await list(shop, 'limit=2&page=2')];
  expect(pages.map(({ items }) => items.length)).toEqual([2, 1]);
  expect(pages.flatMap(({ items }) => items.map(({ id }) => id)).toSorted()).toEqual(ids.toSorted());
  for (const page of [3, 1_000_000]) {
    expect(await list(shop, `limit=2&page=${page}`)).toEqual({
      items: [],
      pagination: { page, limit: 2, total: 3 },
    });
  }
});

it('GET /merchant/attention returns payments and other items in one order on its pages, each item once', async () => {
  const shop = await Shop.open(till.api);
  const ids = [await overpaid(shop), await reversed(shop), await overpaid(shop)];
  await claimed(shop);
  await claimed(shop);
  const all = (await list(shop, 'limit=100')).items.map(({ id }) => id);
  expect(all).toEqual(expect.arrayContaining(ids));
  expect(all).toHaveLength(5);
  for (const limit of [1, 2, 3, 4]) {
    const paged: string[] = [];
    for (let page = 1; page <= Math.ceil(5 / limit); page += 1) {
      const { items } = await list(shop, `limit=${limit}&page=${page}`);
      paged.push(...items.map(({ id }) => id));
    }
    expect(paged).toEqual(all);
  }
});

/** A completed payment, marked or sent as refunded, that is paid again. */
const paidAfterRefund = async (shop: Shop, refund: (paymentId: string) => Promise<unknown>) => {
  const { id } = await shop.createPayment();
  await simulate(shop, id, { scenario: 'exact', confirmations: 6 });
  await eventually(
    'the payment to complete',
    () => shop.payment(id),
    ({ status }) => status === 'completed',
  );
  await refund(id);
  await eventually(
    'the payment to be refunded',
    () => shop.payment(id),
    ({ status }) => status === 'refunded',
  );
  expect(await kinds(shop)).toEqual([]);
  await simulate(shop, id, { scenario: 'overpay', confirmations: 6 });
  return eventually(
    'the money to wait',
    () => list(shop),
    ({ items }) => items.length > 0,
  ).then(({ items }) => ({ id, item: items[0] }));
};

describe('GET /merchant/attention with money that arrived after a full refund', () => {
  it('lists money that arrived after a refund outside tilld until a refund of it is claimed', async () => {
    const shop = await Shop.open(till.api);
    const { id, item } = await paidAfterRefund(shop, async (paymentId) =>
      till.api.must('POST', '/payment/resolve', {
        token: shop.secretKey,
        body: { paymentId, action: 'refunded' },
      }),
    );
    expect(item).toMatchObject({ id, kind: 'payment_after_refund', currency: 'BTC', price: null });
    const { transactions } = await shop.payment(id);
    expect(item?.amount).toBe(transactions.at(-1)?.amount);
    expect(item?.action.type).toBe('refund_excess');
    const { url } = await till.api.must<RefundLinkJson>('POST', '/payment/refund-link', {
      token: shop.secretKey,
      body: { paymentId: id, preset: 'all', approval: true },
    });
    expect(await kinds(shop)).toEqual([]);
    const { wallets } = await Shop.open(till.api);
    await claimLink(till.api, url, { coin: 'BTC', destination: wallets.BTC });
    const [claim] = (await list(shop)).items;
    expect(claim?.kind).toBe('refund_claim');
    const linkId = claim?.subject['linkId'];
    await till.api.must('POST', '/payment/refund-link/cancel', { token: shop.secretKey, body: { linkId } });
    expect(await kinds(shop)).toEqual(['payment_after_refund']);
    expect((await dismiss(shop, id)).status).toBe(200);
    expect(await kinds(shop)).toEqual([]);
  });

  it('lists money that arrived after the full refund until it is refunded as well', async () => {
    const shop = await Shop.open(till.api);
    const { wallets } = await Shop.open(till.api);
    const refund = async (paymentId: string) =>
      till.api.must('POST', '/payment/refund', {
        token: shop.secretKey,
        body: { paymentId, destination: wallets.BTC, subtractFee: true },
      });
    const { id, item } = await paidAfterRefund(shop, refund);
    expect(item).toMatchObject({ id, kind: 'payment_after_refund', severity: 'normal' });
    await refund(id);
    expect(await kinds(shop)).toEqual([]);
  });
});

describe('dismissing an item of GET /merchant/attention', () => {
  it('removes the item from the list until its state changes, and is recorded in the audit log', async () => {
    const owner = await newPerson(till.api, 'owner');
    const shop = await Shop.open(till.api, { owner: owner.token });
    const id = await reversed(shop);
    const answer = await dismiss(shop, id, owner.token);
    expect([answer.status, answer.body.data.id]).toEqual([200, id]);
    expect(await kinds(shop)).toEqual([]);
    expect((await dismiss(shop, id)).status).toBe(200);
    const { body } = await owner.session.call('GET', `/merchant/audit?merchantId=${shop.merchantId}`);
    expect(JSON.stringify(body.data)).toMatch(new RegExp(`"POST /merchant/attention/dismiss"[^}]*"${id}"`));
    await simulate(shop, id, { scenario: 'double-spend' });
    expect(await kinds(shop)).toEqual(['payment_reversed']);
  });

  it('is refused for an item that is not listed, and for an item of another shop', async () => {
    const shop = await Shop.open(till.api);
    const { id: fine } = await shop.createPayment();
    const foreign = await reversed(await Shop.open(till.api));
    for (const id of [fine, foreign, 'backup_old']) {
      const { status, body } = await dismiss(shop, id);
      expect([id, status, body.error?.code]).toEqual([id, 404, 'NOT_FOUND']);
    }
  });
});

describe('dismissing an item of GET /merchant/attention by role', () => {
  it.each([
    ['manager', { payment_reversed: true, refund_claim: false, payment_over: true }],
    ['clerk', { payment_reversed: false, refund_claim: false, payment_over: true }],
    ['bookkeeper', { payment_reversed: false, refund_claim: false, payment_over: false }],
  ] as const)('is allowed to a %s only for items that the role may decide', async (role, expected) => {
    const owner = await newPerson(till.api, 'owner');
    const shop = await Shop.open(till.api, { owner: owner.token });
    await reversed(shop);
    await overpaid(shop);
    await claimed(shop);
    const member = await newMember(till.api, owner.session, { merchantId: shop.merchantId, role });
    const { items } = await list(shop, 'limit=100', member.token);
    const shown = Object.fromEntries(items.map((item) => [item.kind, item.mayDismiss]));
    expect(shown).toEqual(expected);
    for (const { id, mayDismiss } of items) {
      expect((await dismiss(shop, id, member.token)).status).toBe(mayDismiss ? 200 : 403);
    }
    const left = Object.entries(expected).filter(([, may]) => !may);
    const remaining = await list(shop, 'limit=100', owner.token);
    expect(remaining.items.map(({ kind }) => kind).toSorted()).toEqual(left.map(([kind]) => kind).toSorted());
    expect(remaining.items.map(({ mayDismiss }) => mayDismiss)).toEqual(left.map(() => true));
  });
});

describe('GET /merchant/attention by role', () => {
  let shop: Shop;
  let owner: Person;

  beforeAll(async () => {
    owner = await newPerson(till.api, 'owner');
    shop = await Shop.open(till.api, { owner: owner.token, webhookUrl: 'http://127.0.0.1:9/nothing' });
    await reversed(shop);
    await eventually(
      'the endpoint to fail',
      () => kinds(shop),
      (now) => now.includes('webhook_failing'),
    );
  });

  it.each([
    ['manager', ['payment_reversed', 'webhook_failing']],
    ['clerk', ['payment_reversed']],
    ['bookkeeper', ['payment_reversed']],
  ] as const)('shows a %s only the items of that role', async (role, expected) => {
    const member = await newMember(till.api, owner.session, { merchantId: shop.merchantId, role });
    expect((await kinds(shop, member.token)).toSorted()).toEqual(expected);
    expect((await kinds(shop, owner.token)).toSorted()).toEqual(['payment_reversed', 'webhook_failing']);
  });
});

it('GET /merchant/attention lists a payment, for every status and exception, exactly when it needs a decision', async () => {
  const { world } = await openGroupWorld();
  const { db } = world.deps;
  const expected: string[] = [];
  const states = PAYMENT_STATUSES.map((status) => ({ status, hasMoneyAfterRefund: false }));
  states.push({ status: 'refunded', hasMoneyAfterRefund: true });
  for (const { status, hasMoneyAfterRefund } of states) {
    for (const exception of [null, ...PAYMENT_EXCEPTIONS]) {
      const { id } = await world.order();
      const refunded = status === 'refunded' ? { refundedAt: 1, refundedBy: 'merchant' as const } : {};
      await db
        .updateTable('payments')
        .set({ status, exception, hasMoneyAfterRefund, ...refunded })
        .where('id', '=', id)
        .execute();
      if (paymentAttention({ status, exception, hasMoneyAfterRefund }) !== null) expected.push(id);
    }
  }
  const shop = { merchantId: world.wallet.merchant.id, mode: 'live' as const };
  const listed = await listWaitingPayments(db, shop, { limit: 1_000 });
  expect(listed.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  expect(await countWaitingPayments(db, shop)).toBe(expected.length);
  expect(expected.length).toBeGreaterThan(15);
  const isReversed = (await db.selectFrom('payments').selectAll().execute()).filter(
    (payment) => paymentAttention(payment) === 'payment_reversed',
  );
  const first = listed.slice(0, isReversed.length).map(({ id }) => id);
  expect(first.toSorted()).toEqual(isReversed.map(({ id }) => id).toSorted());
  await world.close();
});
