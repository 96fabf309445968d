import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Owner } from '../_helpers/owner.ts';
import type { WooShop } from './driver.ts';
import { hasNote, hasStatus, startConnected } from './start.ts';

/** How customers pay and what becomes of an order then, by the settings of the gateway. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: WooShop;

const USUAL = {
  methods: 'one',
  seen_status: 'on-hold',
  paid_status: '',
  confirmations_btc: '',
  confirmations_ltc: '',
};

beforeAll(async () => {
  ({ owner, shop } = await startConnected(stack));
}, 1_200_000);
afterEach(() => shop.command('set', USUAL));
afterAll(() => stack.disposeAsync());

interface Offered {
  readonly title: string;
  readonly icon: string;
  readonly needsSetup: boolean;
}

interface OptionSeen {
  readonly requiredConfirmations: number;
}

async function optionsOf(paymentId: string): Promise<Record<string, OptionSeen>> {
  const payment = (await owner.payment(paymentId)) as unknown as { options: Record<string, OptionSeen> };
  return payment.options;
}

describe('WooCommerce payment methods', () => {
  it('are one for all coins by default, with an icon from the server of the shop', async () => {
    const methods = await shop.command<Record<string, Offered>>('methods');
    expect(Object.keys(methods)).toEqual(['tilld']);
    const icon = await fetch(methods['tilld']?.icon ?? '');
    expect(icon.headers.get('content-type')).toBe('image/svg+xml');
    expect(methods['tilld']?.needsSetup).toBe(false);
  });

  it('are one for each coin if a setting says so, and an order then accepts only its coin', async () => {
    await shop.command('set', { methods: 'coins' });
    const methods = await shop.command<Record<string, Offered>>('methods');
    expect(Object.values(methods).map(({ title }) => title)).toEqual([
      'Bitcoin',
      'Litecoin',
      'Ethereum',
      'Solana',
    ]);
    const icons = await Promise.all(
      Object.values(methods).map(async ({ icon }) => (await fetch(icon)).text()),
    );
    expect(new Set(icons).size).toBe(4);
    const { orderId, paymentId } = await shop.command<{ orderId: string; paymentId: string }>('order', {
      quantity: 1,
      method: 'tilld_ltc',
    });
    expect(Object.keys(await optionsOf(paymentId))).toEqual(['LTC']);
    await owner.payFinally(paymentId);
    await hasStatus(shop, orderId, 'processing');
  });

  it('cancel the payment of the previous coin when the customer changes to another one', async () => {
    await shop.command('set', { methods: 'coins' });
    const { orderId, paymentId } = await shop.command<{ orderId: string; paymentId: string }>('order', {
      quantity: 1,
      method: 'tilld_btc',
    });
    const changed = await shop.command<{ paymentId: string }>('changeMethod', {
      orderId,
      method: 'tilld_ltc',
    });
    expect(changed.paymentId).not.toBe(paymentId);
    expect((await owner.payment(paymentId)).status).toBe('cancelled');
    expect(Object.keys(await optionsOf(changed.paymentId))).toEqual(['LTC']);
    const again = await shop.command<{ paymentId: string }>('changeMethod', { orderId, method: 'tilld_ltc' });
    expect(again.paymentId).toBe(changed.paymentId);
  });

  it('can still follow and refund orders in coins that are no longer offered', async () => {
    await saveSettings({ methods: 'coins' });
    const { orderId, paymentId } = await shop.command<{ orderId: string; paymentId: string }>('order', {
      quantity: 1,
      method: 'tilld_btc',
    });
    await saveSettings({ methods: 'one' });
    expect(Object.keys(await shop.command<object>('methods'))).toEqual(['tilld']);
    await owner.payFinally(paymentId);
    await hasStatus(shop, orderId, 'processing');
    expect(await shop.command('screen', { orderId })).toMatchObject({ isRefundable: true });
    const { linkUrl } = await shop.refund(orderId, '5');
    await owner.claimAndApprove(linkUrl, paymentId);
    await hasNote(shop, orderId, /The refund of 5(\.00)? USD is paid/);
  });

  it('cancel the payment of an abandoned order for every coin', async () => {
    await shop.command('set', { methods: 'coins' });
    const { orderId, paymentId } = await shop.command<{ orderId: string; paymentId: string }>('order', {
      quantity: 1,
      method: 'tilld_btc',
    });
    await shop.cancel(orderId);
    expect((await owner.payment(paymentId)).status).toBe('cancelled');
    expect(await shop.command('state', { orderId })).toMatchObject({ status: 'cancelled' });
  });
});

describe('the status of a WooCommerce order', () => {
  it('is On hold while the payment confirms, and the default of WooCommerce once it is completed', async () => {
    const { orderId, paymentId } = await shop.order();
    await owner.pay(paymentId);
    await hasStatus(shop, orderId, 'on-hold');
    await owner.mine(paymentId);
    await hasStatus(shop, orderId, 'processing');
  });

  it('is Processing when the payment is seen, and Completed once it is completed, if settings say so', async () => {
    await shop.command('set', { seen_status: 'processing', paid_status: 'completed' });
    const { orderId, paymentId } = await shop.order();
    await owner.pay(paymentId);
    await hasStatus(shop, orderId, 'processing');
    await owner.mine(paymentId);
    await hasStatus(shop, orderId, 'completed');
    expect(await shop.command('screen', { orderId })).toMatchObject({
      transactionUrl: `${owner.till.api.baseUrl}/dashboard/shop/${owner.merchantId}/payments/${paymentId}`,
    });
  });

  it('returns to On hold when the payment of an order that was delivered early is reversed', async () => {
    await shop.command('set', { seen_status: 'processing' });
    const { orderId, paymentId } = await shop.order();
    await owner.pay(paymentId);
    await hasStatus(shop, orderId, 'processing');
    await owner.takeBack(paymentId);
    await hasNote(shop, orderId, /The payment is GONE/);
    expect(await shop.command('state', { orderId })).toMatchObject({ status: 'on-hold' });
  });

  it('stays On hold for simulated money outside the test mode, whatever the settings say', async () => {
    await shop.command('set', { seen_status: 'processing', test_mode: 'no' });
    try {
      const { orderId, paymentId } = await shop.order();
      await owner.pay(paymentId);
      await hasNote(shop, orderId, /Payment seen/);
      expect(await shop.command('state', { orderId })).toMatchObject({ status: 'on-hold' });
    } finally {
      await shop.command('set', { test_mode: 'yes' });
    }
  });
});

describe('confirmations in the WooCommerce settings', () => {
  it('are set per coin, and a number below that of the tilld server has no effect', async () => {
    const usual = await optionsOf((await shop.order()).paymentId);
    await shop.command('set', { confirmations_btc: '7', confirmations_ltc: '1' });
    const asked = await optionsOf((await shop.order()).paymentId);
    expect(asked['BTC']?.requiredConfirmations).toBe(7);
    expect(usual['LTC']?.requiredConfirmations).toBeGreaterThan(1);
    expect(asked['LTC']?.requiredConfirmations).toBe(usual['LTC']?.requiredConfirmations);
  });

  it('cause a new payment, which can be paid, when a changed price conflicts with them', async () => {
    await shop.command('set', { confirmations_btc: '7' });
    const { orderId, paymentId } = await shop.order();
    await shop.command('tier', { isReached: true });
    const changed = await shop.changeCart(orderId, 2);
    await shop.command('tier', { isReached: false });
    expect(changed.paymentId).not.toBe(paymentId);
    expect((await owner.payment(paymentId)).status).toBe('cancelled');
    await owner.payFinally(changed.paymentId);
    await hasStatus(shop, orderId, 'on-hold');
  });

  it('outside 1 to 1000 are rejected in the settings, with the reason', async () => {
    await saveSettings({ confirmations_btc: '6' });
    for (const wrong of ['0', '-1', '1001', '1.5', 'six'])
      expect(await saveSettings({ confirmations_btc: wrong })).toContain('a whole number from 1 to 1000');
    const page = await shop.settingsPage();
    expect(page).toMatch(/name=.woocommerce_tilld_confirmations_btc.[^>]* value=.6./);
  });
});

it.each([
  'HTTPS://Shop.Example:443/checkout/?order-pay=1',
  'http://shop.example:80',
  'https://shop.example:8443/shop/',
  'http://127.0.0.1:8080/?page=checkout',
  'https://Müller.example/kasse/',
])('the WooCommerce plugin determines the origin of a URL like browsers: %s', async (url) => {
  expect(await shop.command('origin', { url })).toBe(new URL(url).origin);
});

describe('the WooCommerce order page', () => {
  it('links to the payment in the tilld dashboard, also before it is paid', async () => {
    const { orderId, paymentId } = await shop.order();
    const { html } = await shop.command<{ html: string }>('screen', { orderId });
    expect(html).toContain(
      `${owner.till.api.baseUrl}/dashboard/shop/${owner.merchantId}/payments/${paymentId}`,
    );
  });
});

it('the built WooCommerce plugin includes its scripts and styles, with the plugin version in their URLs', () => {
  const built = join(shop.site.plugins, 'tilld-for-woocommerce');
  const assets = readdirSync('packages/woocommerce/assets');
  expect(readdirSync(join(built, 'assets'))).toEqual(assets);
  const main = readFileSync(join(built, 'tilld-for-woocommerce.php'), 'utf8');
  const [, header] = /^ \* Version: (.+)$/m.exec(main) ?? [];
  const [, version] = /^const VERSION = '(.+)';$/m.exec(main) ?? [];
  expect(version).toBe(header);
});

it('the WooCommerce plugin writes nothing to the debug log in these settings tests', () => {
  expect(shop.site.debugLog()).toEqual([]);
});

/** Saves the form of the settings as a browser sends it. @returns the page that answers */
async function saveSettings(changes: Record<string, string>): Promise<string> {
  const page = await shop.settingsPage();
  const [, nonce = ''] = /name="_wpnonce" value="(\w+)"/.exec(page) ?? [];
  const form = new URLSearchParams({
    _wpnonce: nonce,
    save: '1',
    woocommerce_tilld_enabled: '1',
    woocommerce_tilld_test_mode: '1',
    woocommerce_tilld_title: 'Coins',
    woocommerce_tilld_url: owner.till.api.baseUrl,
  });
  for (const [name, value] of Object.entries({ ...USUAL, ...changes }))
    form.set(`woocommerce_tilld_${name}`, value);
  return shop.postSettings(form);
}

describe('the order number by a WooCommerce plugin for order numbers', () => {
  afterEach(() => shop.command('options', { shop_test_number: null }));

  it.each([
    ['\u200fהזמנה 19', 'הזמנה 19'],
    ['RE\u00ad-2026\n/19 ', 'RE-2026 /19'],
    [`${'9'.repeat(99)}  0`, '9'.repeat(99)],
    ['', null],
    ['\u2800', null],
  ])('%s appears to payers as %s', async (number, label) => {
    await shop.command('options', { shop_test_number: number });
    const { paymentId } = await shop.order();
    const { orderLabel } = (await owner.payment(paymentId)) as unknown as { orderLabel: string | null };
    expect(orderLabel).toBe(label);
  });
});
