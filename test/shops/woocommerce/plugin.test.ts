import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Owner } from '../_helpers/owner.ts';
import { ShopProxy } from '../_helpers/proxies.ts';
import { WooShop } from './driver.ts';

/** What only WooCommerce has; the life of orders is in woocommerce.test.ts. */
const PLUGIN = 'tilld-for-woocommerce';
const PACKAGE = 'packages/woocommerce';
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: WooShop;
let toShop: ShopProxy;
let shopUrl: string;

beforeAll(async () => {
  owner = stack.use(await Owner.start());
  toShop = stack.use(await ShopProxy.start());
  const port = await freePort();
  toShop.port = port;
  shopUrl = toShop.url;
  const setup = { tilldUrl: owner.till.api.baseUrl, publicUrl: toShop.url, port };
  shop = stack.use(await WooShop.start(setup));
  await shop.connect((address) => owner.agree(address));
}, 1_200_000);
afterAll(() => stack.disposeAsync());

async function paidOrder(): Promise<{ orderId: string; paymentId: string }> {
  const order = await shop.order({ email: 'ada@example.com' });
  await owner.payFinally(order.paymentId);
  await reaches(order.orderId, 'paid');
  return order;
}

async function reaches(orderId: string, wanted: string): Promise<void> {
  await eventually(
    `the order is ${wanted}`,
    () => shop.state(orderId),
    (state) => state === wanted,
    60_000,
  );
}

async function hasNote(orderId: string, text: RegExp): Promise<void> {
  await eventually(
    `a note says ${text}`,
    () => shop.notes(orderId),
    (notes) => notes.some((note) => text.test(note)),
    60_000,
  );
}

describe('the translations of the WooCommerce plugin', () => {
  const locales = ['de_DE', 'es_ES', 'fr_FR', 'pt_PT'];

  it.each(locales)('contain every text of the template and no other in %s', (locale) => {
    const folder = join(shop.site.dir, 'built', PLUGIN, 'languages');
    const template = textsOf(join(folder, `${PLUGIN}.pot`));
    expect(template.length).toBeGreaterThan(50);
    const catalog = textsOf(join(PACKAGE, 'languages', `${PLUGIN}-${locale}.po`));
    expect(catalog.toSorted()).toEqual(template.toSorted());
  });

  it.each([
    ['de_DE', /Zahlung gesehen/],
    ['de_AT', /Zahlung gesehen/],
    ['es_MX', /Pago visto/],
    ['fr_FR', /Paiement vu/],
    ['pt_BR', /Pagamento visto/],
    ['nl_NL', /Payment seen/],
  ])('show the order notes of a site in %s in the closest available language', async (locale, note) => {
    await shop.command('speak', { locale });
    try {
      const { orderId, paymentId } = await shop.order();
      await owner.pay(paymentId);
      await reaches(orderId, 'seen');
      await hasNote(orderId, note);
    } finally {
      await shop.command('speak', { locale: '' });
    }
  });
});

it('a WooCommerce order does not count as paid by simulated money outside the test mode, and can be cancelled', async () => {
  await shop.command('set', { test_mode: 'no' });
  try {
    const { orderId, paymentId } = await shop.order({ email: 'ada@example.com' });
    await owner.payFinally(paymentId);
    await hasNote(orderId, /Simulated money came: nothing was earned/);
    expect(await shop.command('state', { orderId })).toEqual({ status: 'on-hold', tilld: 'simulated' });
    await shop.cancel(orderId);
    expect(await shop.command('state', { orderId })).toMatchObject({ status: 'cancelled' });
  } finally {
    await shop.command('set', { test_mode: 'yes' });
  }
});

describe('a WooCommerce refund', () => {
  it('does not change the order status when it is partial, and is settled when tilld has paid it', async () => {
    const { orderId, paymentId } = await paidOrder();
    const { linkUrl } = await shop.refund(orderId, '5');
    await owner.claimAndApprove(linkUrl, paymentId);
    await hasNote(orderId, /The refund of 5(\.00)? USD is paid/);
    expect(await shop.state(orderId)).toBe('paid');
    expect(await shop.refunds(orderId)).toMatchObject([{ status: 'paid' }]);
  });

  it('is removed from the order with a note when the owner cancels its link, and can be repeated', async () => {
    const { orderId, paymentId } = await paidOrder();
    await shop.refund(orderId);
    expect(await shop.state(orderId)).toBe('paid');
    await owner.cancelRefund(paymentId);
    await shop.reconcile();
    await hasNote(orderId, /was cancelled in tilld/);
    expect(await shop.refunds(orderId)).toEqual([]);
    const { linkUrl } = await shop.refund(orderId);
    await owner.claimAndApprove(linkUrl, paymentId);
    await reaches(orderId, 'refunded');
  });
});

describe('WooCommerce order notes', () => {
  it('mention no change of status when the cancellation of an order is refused', async () => {
    const { orderId, paymentId } = await shop.order();
    await owner.pay(paymentId);
    await reaches(orderId, 'seen');
    await shop.cancel(orderId).catch(() => undefined);
    await hasNote(orderId, /Not cancelled: the customer has paid/);
    for (const note of await shop.notes(orderId)) expect(note).not.toMatch(/from (\S.*) to \1\./i);
  });

  it('report when the payment of an order that the shopkeeper had put on hold is reversed', async () => {
    const { orderId, paymentId } = await paidOrder();
    await shop.command('setStatus', { orderId, status: 'on-hold' });
    await owner.takeBack(paymentId);
    await hasNote(orderId, /The payment is GONE/);
  });
});

describe('concurrent WooCommerce processes', () => {
  it('notify the shopkeeper once when the thank-you page and a webhook report the same payment', async () => {
    const { orderId, paymentId } = await shop.order({ email: 'ada@example.com' });
    const back = shop.comeBack(orderId);
    await eventually(
      'the page has read the order',
      () => shop.command<boolean>('isBack', { orderId }),
      Boolean,
    );
    await owner.payFinally(paymentId);
    expect(await back).toContain('Your payment has arrived');
    const told = (await shop.notes(orderId)).filter((note) => note.includes('Paid: '));
    expect(told).toHaveLength(1);
  });

  it('cause no reversal of a paid order when another payment was created and ended for it', async () => {
    const { orderId, paymentId } = await paidOrder();
    const other = await owner.twin(paymentId);
    await owner.cancel(other);
    await shop.reconcile();
    expect(await shop.state(orderId)).toBe('paid');
    expect(await shop.notes(orderId)).not.toContainEqual(expect.stringMatching(/GONE/));
  });
});

describe('a WooCommerce order whose payer renewed its payment', () => {
  it('follows the paid renewal, and reports changes of its money', async () => {
    const { orderId, paymentId } = await shop.order({ email: 'ada@example.com' });
    const renewal = await owner.renew(paymentId);
    await owner.payFinally(renewal);
    await reaches(orderId, 'paid');
    const { linkUrl } = await shop.refund(orderId, '5');
    await owner.claimAndApprove(linkUrl, renewal);
    await owner.takeBack(renewal);
    await hasNote(orderId, /The payment is GONE/);
  });

  it('follows the renewal to which late money on the expired payment is credited', async () => {
    const { orderId, paymentId } = await shop.order({ email: 'ada@example.com' });
    await owner.renew(paymentId);
    await owner.payFinally(paymentId);
    await reaches(orderId, 'paid');
    await shop.reconcile();
    expect(await shop.state(orderId)).toBe('paid');
    expect(await shop.notes(orderId)).not.toContainEqual(expect.stringMatching(/earlier payment/));
  });

  it.each(['the expired payment', 'the renewal'] as const)(
    'follows the renewal when its webhooks arrive first, seen and then final, after %s was paid',
    async (paid) => {
      const { orderId, paymentId } = await shop.order({ email: 'ada@example.com' });
      toShop.unreported.add(paymentId);
      const renewal = await owner.renew(paymentId);
      await owner.pay(paid === 'the renewal' ? renewal : paymentId);
      await reaches(orderId, 'seen');
      await owner.mine(renewal);
      await reaches(orderId, 'paid');
      expect(await shop.notes(orderId)).not.toContainEqual(expect.stringMatching(/earlier payment/));
      await shop.reconcile();
      expect(await shop.state(orderId)).toBe('paid');
      expect((await shop.notes(orderId)).filter((note) => note.includes('Paid: '))).toHaveLength(1);
    },
  );
});

describe('strangers who attack a WooCommerce shop', () => {
  it('cannot block later orders by creating payments with their order ids through the public key', async () => {
    const { orderId, paymentId } = await shop.order();
    const name = (await owner.payment(paymentId)).orderId;
    for (let next = Number(orderId) + 1; next <= Number(orderId) + 10; next += 1)
      await owner.payAsStranger(name.replace(orderId, `${next}`));
    const after = await shop.order();
    expect(Number(after.orderId)).toBeLessThanOrEqual(Number(orderId) + 10);
    await owner.payFinally(after.paymentId);
    await reaches(after.orderId, 'paid');
  });

  it('cannot send webhooks', async () => {
    const { orderId, paymentId } = await shop.order();
    const [endpoint] = await owner.endpoints();
    const body = JSON.stringify({ type: 'payment.completed', data: { payment: { id: paymentId } } });
    const now = `${Math.floor(Date.now() / 1000)}`;
    const headers = [
      {},
      { 'webhook-id': 'evt_1', 'webhook-timestamp': now, 'webhook-signature': '' },
      { 'webhook-id': 'evt_1', 'webhook-timestamp': now, 'webhook-signature': `v1,${btoa('guess')}` },
    ];
    for (const given of headers) {
      const answer = await fetch(endpoint?.url ?? '', { method: 'POST', body, headers: given });
      expect(answer.status).toBe(400);
    }
    expect(await shop.state(orderId)).toBe('waiting');
  });

  it('can neither start nor finish a connection', async () => {
    const admin = `${shopUrl}/wp-admin/admin-post.php`;
    const noNonce = await shop.visit(`${admin}?action=tilld_connect`);
    expect(noNonce.status).toBe(403);
    const finish = `${admin}?action=tilld_connected&code=code_of_a_stranger&state=guessed`;
    const ofOwner = await shop.visit(finish);
    expect(ofOwner.headers.get('location')).toContain('tilld=stale');
    const ofStranger = await fetch(finish, { redirect: 'manual' });
    expect(ofStranger.headers.get('location') ?? '').not.toContain('tilld=');
    expect(await shop.health()).toMatchObject({ key: true, webhook: true });
  });
});

it('the WooCommerce plugin offers translations for every language of a multilingual site', async () => {
  expect(await shop.command('isOffered')).toBe(true);
  expect(await shop.command('isOffered&shop-test-language=de')).toBe(true);
});

it('a WooCommerce process whose lock was taken over does not release the lock of the new owner', async () => {
  expect(await shop.command('overtakenLock')).toEqual({ isKept: true });
});

describe('removing tilld from WooCommerce', () => {
  it('deletes its webhooks and offers no payment once the shop is disconnected', async () => {
    const page = await shop.settingsPage();
    const [, link = ''] = /href="([^"]*tilld_disconnect[^"]*)"/.exec(page) ?? [];
    expect(await owner.endpoints()).toMatchObject([{ active: true }]);
    const forged = await shop.visit(
      link.replaceAll(/&(#038|amp);/g, '&').replace(/_wpnonce=\w+/, '_wpnonce=1'),
    );
    expect(forged.status).toBe(403);
    expect(await owner.endpoints()).toMatchObject([{ active: true }]);
    const answer = await shop.visit(link.replaceAll(/&(#038|amp);/g, '&'));
    expect(answer.headers.get('location')).toContain('tilld=disconnected');
    expect(await owner.endpoints()).toMatchObject([{ active: false }]);
    await expect(shop.order()).rejects.toThrow(/not offered/);
  });

  it('keeps only the orders and deletes its webhooks when the plugin is uninstalled', async () => {
    await shop.connect((address) => owner.agree(address));
    const { orderId } = await paidOrder();
    await shop.command('uninstall', { plugin: `${PLUGIN}/${PLUGIN}.php` });
    expect(await shop.command('traces')).toEqual([]);
    expect(await owner.endpoints()).toMatchObject([{ active: false }]);
    expect(await shop.command('state', { orderId })).toMatchObject({ status: 'processing' });
  });
});

/** The texts of a catalog or a template of translations. */
function textsOf(file: string): string[] {
  const ids = [...readFileSync(file, 'utf8').matchAll(/^msgid (".+")$/gm)];
  return ids.map(([, text = '']) => JSON.parse(text) as string).filter((text) => text !== '');
}
