import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../_helpers/poll.ts';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { Owner } from '../_helpers/owner.ts';
import { ShopProxy, TilldProxy } from '../_helpers/proxies.ts';
import { WooShop } from './driver.ts';

/** The life of the plugin in a site: the clean-up of orders, moving, trouble, leaving. */
const PLUGIN = 'tilld-for-woocommerce/tilld-for-woocommerce.php';
const SCOPES = ['payments:write', 'refunds:write', 'customers:write', 'events:read', 'webhooks:write'];
const NETWORK = { SHOP_NETWORK: 'yes' };

interface Left {
  readonly options: string[];
  readonly isScheduled: boolean;
  readonly orderData: number;
}

interface SiteHealth {
  readonly stranger: number;
  readonly results: Readonly<Record<string, { status: string; text: string }>>;
}

/** A separate shop with a separate tilld. */
class World implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly owner: Owner;
  readonly shop: WooShop;
  readonly toTilld: TilldProxy;
  readonly toShop: ShopProxy;

  private constructor(
    parts: Pick<World, 'owner' | 'shop' | 'toTilld' | 'toShop'>,
    stack: AsyncDisposableStack,
  ) {
    this.owner = parts.owner;
    this.shop = parts.shop;
    this.toTilld = parts.toTilld;
    this.toShop = parts.toShop;
    this.#stack = stack;
  }

  static async start(): Promise<World> {
    const stack = new AsyncDisposableStack();
    const owner = stack.use(await Owner.start());
    const toShop = stack.use(await ShopProxy.start());
    const toTilld = stack.use(await TilldProxy.start(owner.till.api.baseUrl));
    const port = await freePort();
    toShop.port = port;
    const shop = stack.use(await WooShop.start({ tilldUrl: toTilld.url, publicUrl: toShop.url, port }));
    return new World({ owner, shop, toTilld, toShop }, stack);
  }

  /** A step of leave.php. */
  async leave<T>(
    step: string,
    given: unknown = null,
    env: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const args = [this.shop.site.wordpress, step, PLUGIN, JSON.stringify(given)];
    return JSON.parse(await this.shop.site.php('leave.php', args, env)) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

let world: World;

beforeAll(async () => {
  world = await World.start();
  await world.shop.connect((address) => world.owner.agree(address));
}, 1_200_000);
afterAll(() => world[Symbol.asyncDispose]());

describe('the WooCommerce cleanup of unpaid orders', () => {
  it.each(['checkout', 'store-api'] as const)(
    'cancels an unpaid order from the %s and its payment',
    async (via) => {
      const { shop, owner } = world;
      const { orderId, paymentId } = await shop.order({ via });
      await shop.cleanUp();
      expect(await shop.state(orderId)).toBe('cancelled');
      expect(await owner.payment(paymentId)).toMatchObject({ status: 'cancelled' });
    },
  );

  it('does not cancel an order of the block checkout whose payment has money, although no webhook has arrived', async () => {
    const { shop, owner, toShop } = world;
    const { orderId, paymentId } = await shop.order({ via: 'store-api' });
    toShop.weather = 'lose';
    try {
      await owner.pay(paymentId);
      await shop.cleanUp();
      expect(await shop.state(orderId)).toBe('seen');
    } finally {
      toShop.weather = 'pass';
    }
  });

  it('does not cancel an order of the block checkout while tilld does not respond', async () => {
    const { shop, toTilld } = world;
    const { orderId } = await shop.order({ via: 'store-api' });
    toTilld.isDown = true;
    try {
      await shop.cleanUp();
      expect(await shop.state(orderId)).toBe('waiting');
    } finally {
      toTilld.isDown = false;
    }
  });
});

/** The owner's browser opens a link of the settings page; where it leads. */
async function press(id: string): Promise<string> {
  const page = await world.shop.settingsPage();
  const [, link = ''] = new RegExp(`id="${id}" href="([^"]+)"`).exec(page) ?? [];
  if (link === '') throw new Error(`the settings have no ${id}`);
  const answer = await world.shop.visit(link.replaceAll(/&(#038|amp);/g, '&'));
  return answer.headers.get('location') ?? '';
}

async function connect(): Promise<string> {
  const back = await world.owner.agree(await press('tilld-connect'));
  return (await world.shop.visit(back)).headers.get('location') ?? '';
}

/** The kinds of trouble that the dashboard tells of. */
async function notices(): Promise<string[]> {
  const page = await world.shop.visit(`${world.toShop.url}/wp-admin/index.php`);
  return [...(await page.text()).matchAll(/data-tilld-notice="(\w+)"/g)].map(([, kind = '']) => kind);
}

async function activeUrls(): Promise<string[]> {
  return (await world.owner.endpoints()).filter(({ active }) => active).map(({ url }) => url);
}

/** The page on which WordPress collects suggestions for the privacy policy. */
async function privacyGuide(): Promise<string> {
  const { shop, toShop } = world;
  return (await shop.visit(`${toShop.url}/wp-admin/options-privacy.php?tab=policyguide`)).text();
}

const isOffered = (): Promise<boolean> => world.shop.command('isOffered');

async function move(home: string): Promise<void> {
  await world.shop.command('move', { home });
}

describe('the tilld URL in the WooCommerce settings', () => {
  it('is normalised, and http is accepted for private networks only', async () => {
    const cases: Record<string, string | null> = {
      'pay.example.com': 'https://pay.example.com',
      ' pay.example.com/till/ ': 'https://pay.example.com/till',
      'pay.example.com:8443': 'https://pay.example.com:8443',
      'http://pay.example.com': 'https://pay.example.com',
      'https://Pay.example.com/?a=b#c': 'https://pay.example.com',
      'localhost:3000': 'http://localhost:3000',
      '127.0.0.1:3000': 'http://127.0.0.1:3000',
      '192.168.1.5': 'http://192.168.1.5',
      '100.64.0.7:3000': 'http://100.64.0.7:3000',
      '[::1]:3000': 'http://[::1]:3000',
      'tilld:3000': 'http://tilld:3000',
      'https://tilld:3000': 'https://tilld:3000',
      '8.8.8.8': 'https://8.8.8.8',
      'Zahlung.Müller.example': 'https://zahlung.xn--mller-kva.example',
      'ftp://pay.example.com': null,
      'https://user:pass@pay.example.com': null,
      'not an address': null,
      'https://': null,
    };
    const given = { typed: Object.keys(cases), sites: [] };
    const { completed } = await world.shop.command<{ completed: string[] }>('addresses', given);
    expect(completed).toEqual(Object.values(cases));
  });

  it('is rejected when invalid, and the previous URL stays in use', async () => {
    const { shop, toTilld } = world;
    const page = await shop.settingsPage();
    const [, nonce = ''] = /name="_wpnonce" value="(\w+)"/.exec(page) ?? [];
    const fields = {
      _wpnonce: nonce,
      save: '1',
      woocommerce_tilld_enabled: '1',
      woocommerce_tilld_test_mode: '1',
    };
    const body = new URLSearchParams({
      ...fields,
      woocommerce_tilld_title: 'Coins',
      woocommerce_tilld_url: 'not an address',
    });
    const answer = await shop.settingsPage('', { method: 'POST', body });
    expect(answer).toContain('This is not the address of a tilld: not an address');
    expect(answer).toMatch(new RegExp(`value=["']${toTilld.url}["']`));
  });
});

describe('a WooCommerce site that moves to another URL', () => {
  it('counts as unchanged with https or www., and as another site with another host, port or folder', async () => {
    const sites = [
      'http://shop.example',
      'https://www.Shop.example/',
      'https://shop.example:443',
      'https://müller.example',
      'https://www.xn--mller-kva.example',
      'https://staging.shop.example',
      'https://shop.example:8443',
      'https://shop.example/staging',
    ];
    const answer = await world.shop.command<{ sites: string[] }>('addresses', { typed: [], sites });
    expect(answer.sites).toEqual([
      'shop.example',
      'shop.example',
      'shop.example',
      'xn--mller-kva.example',
      'xn--mller-kva.example',
      'staging.shop.example',
      'shop.example:8443',
      'shop.example/staging',
    ]);
  });

  it('continues to offer payments after a change to https, and moves webhooks to the new URL', async () => {
    const { shop, toShop } = world;
    const { url } = toShop;
    await move(url.replace('http:', 'https:'));
    expect(await isOffered()).toBe(true);
    await shop.reconcile();
    expect(await activeUrls()).toEqual([`${url.replace('http:', 'https:')}/?wc-api=tilld`]);
    await move(url);
    await shop.reconcile();
    expect(await activeUrls()).toEqual([`${url}/?wc-api=tilld`]);
    expect(await notices()).toEqual([]);
  });

  it('rejects payments and webhooks on another host, with a message, until the shopkeeper confirms the move there', async () => {
    const { shop, toShop } = world;
    const { url } = toShop;
    await move('http://moved.example');
    expect(await isOffered()).toBe(false);
    expect(await shop.command('needsSetup')).toBe(true);
    expect(await notices()).toEqual(['moved']);
    const webhook = await fetch(`${url}/?wc-api=tilld`, { method: 'POST', body: '{}' });
    expect(webhook.status).toBe(503);
    await shop.reconcile();
    expect(await activeUrls()).toEqual([`${url}/?wc-api=tilld`]);
    expect(await press('tilld-take-over')).toContain('tilld=taken-over');
    expect(await isOffered()).toBe(true);
    expect(await activeUrls()).toEqual(['http://moved.example/?wc-api=tilld']);
    await move(url);
    expect(await press('tilld-take-over')).toContain('tilld=taken-over');
    const { orderId, paymentId } = await shop.order();
    await world.owner.pay(paymentId);
    await eventually(
      'the webhook came',
      () => shop.state(orderId),
      (state) => state === 'seen',
    );
    expect(await notices()).toEqual([]);
  });

  it('leaves webhooks and payments of the original unchanged when a copy of the site is connected separately', async () => {
    const { shop, owner, toShop } = world;
    const { url } = toShop;
    const { orderId, paymentId } = await shop.order();
    const before = await shop.command<unknown>('saveOptions');
    await move(`${url}/copy`);
    await connect();
    expect((await activeUrls()).toSorted()).toEqual([`${url}/?wc-api=tilld`, `${url}/copy/?wc-api=tilld`]);
    await shop.cancel(orderId);
    expect(await shop.state(orderId)).toBe('cancelled');
    expect(await owner.payment(paymentId)).toMatchObject({ status: 'pending' });
    await shop.command('restoreOptions', { options: before });
    await move(url);
    expect(await isOffered()).toBe(true);
  });
});

describe('the WooCommerce health report', () => {
  it('shows webhooks as working only once one arrived', async () => {
    const { shop, toShop } = world;
    toShop.weather = 'lose';
    try {
      await shop.command('forgetWebhooks');
      expect(await connect()).toContain('tilld=no-webhook');
      expect(await shop.health()).toEqual({ key: true, webhook: false, node: true });
      expect(await notices()).toEqual(['webhook']);
    } finally {
      toShop.weather = 'pass';
    }
    expect(await press('tilld-test')).toContain('tilld=webhook');
    expect(await shop.health()).toEqual({ key: true, webhook: true, node: true });
    expect(await notices()).toEqual([]);
  });

  it('shows a message from the URL only when the plugin itself redirected the browser there', async () => {
    const { shop } = world;
    const to = await press('tilld-test');
    expect(await (await shop.visit(to)).text()).toContain('The test webhook arrived.');
    const forged = await shop.settingsPage('&tilld=disconnected');
    expect(forged).not.toContain('Disconnected.');
  });

  it('lists old keys that are still valid until they are deleted', async () => {
    const { shop, owner } = world;
    expect(await shop.settingsPage()).toContain('Earlier keys of this shop still work');
    await owner.revokeKeys();
    expect(await connect()).toContain('tilld=connected');
    const page = await shop.settingsPage();
    expect(page).not.toContain('Earlier keys');
    expect(page).toContain('The key is accepted.');
  });

  it('reports at the second check a scheduled job that has not run, with its last run', async () => {
    const { shop } = world;
    await shop.command('age', { seconds: 7200 });
    expect(await notices()).toEqual([]);
    await shop.command('age', { seconds: 300 });
    expect(await notices()).toEqual(['job']);
    const { results } = await shop.command<SiteHealth>('siteHealth');
    expect(results['tilld_job']).toMatchObject({ status: 'critical' });
    expect(results['tilld_job']?.text).toMatch(/wp-cron.*/);
    await shop.reconcile();
    expect(await notices()).toEqual([]);
  });

  it('reports a revoked key at the next job, and an unresponsive tilld after a while', async () => {
    const { shop, owner, toTilld } = world;
    toTilld.isDown = true;
    await shop.reconcile();
    expect(await notices()).toEqual([]);
    expect((await shop.command<SiteHealth>('siteHealth')).results['tilld_daemon']).toMatchObject({
      status: 'critical',
    });
    toTilld.isDown = false;
    await owner.revokeKeys();
    await shop.reconcile();
    expect(await notices()).toEqual(['job']);
    expect(await connect()).toContain('tilld=connected');
    expect(await notices()).toEqual([]);
  });

  it('reports a webhook URL that tilld refuses, while orders are still updated', async () => {
    const { shop, owner, toShop } = world;
    toShop.weather = 'lose';
    await shop.command('sendWebhooksTo', { url: 'https://user:secret@shop.example/' });
    try {
      const { orderId, paymentId } = await shop.order();
      await owner.pay(paymentId);
      await shop.reconcile();
      expect(await shop.state(orderId)).toBe('seen');
      expect(await notices()).toEqual(['job']);
      expect(await shop.health()).toEqual({ key: true, webhook: false, node: true });
    } finally {
      toShop.weather = 'pass';
      await shop.command('sendWebhooksTo', { url: '' });
    }
    await shop.reconcile();
    expect(await notices()).toEqual([]);
  });

  it('reports a key that cannot be decrypted after the WordPress salts changed, until the shop is connected again', async () => {
    const { shop } = world;
    await shop.command('changeSalts');
    expect(await isOffered()).toBe(false);
    expect(await notices()).toEqual(['sealed']);
    expect(await connect()).toContain('tilld=connected');
    expect(await isOffered()).toBe(true);
    expect(await notices()).toEqual([]);
  });

  it('shows the last webhook, the last job and whether tilld is reachable in Site Health', async () => {
    const { stranger, results } = await world.shop.command<SiteHealth>('siteHealth');
    expect(stranger).toBe(401);
    expect(results).toMatchObject({
      tilld_webhook: {
        status: 'good',
        text: expect.stringMatching(/last webhook arrived at \w+ \d+, \d{4}/) as string,
      },
      tilld_job: { status: 'good', text: expect.stringMatching(/last ran at \w+ \d+, \d{4}/) as string },
      tilld_daemon: { status: 'good' },
    });
  });
});

describe('customer data in WooCommerce', () => {
  it('includes the email address in tilld only if a setting allows it, and the privacy policy text mentions that', async () => {
    const { shop, owner } = world;
    const without = await shop.order({ email: 'grace@example.com' });
    expect(await owner.payment(without.paymentId)).toMatchObject({ customerId: null });
    expect(await privacyGuide()).toContain('We do not send your name, addresses or e-mail address.');
    await shop.command('set', { send_email: 'yes' });
    const chosen = await shop.order({ email: 'grace@example.com' });
    expect(await owner.payment(chosen.paymentId)).toMatchObject({ customerId: expect.any(String) as string });
    expect(await privacyGuide()).toContain('We also send your e-mail address');
  });

  it('is exported with the customer in tilld and the payment of each order, over several pages', async () => {
    const { shop, owner } = world;
    const email = 'mary@example.com';
    const { orderId, paymentId } = await shop.order({ email });
    await owner.pay(paymentId);
    for (let count = 0; count < 10; count += 1) await shop.order({ email });
    await shop.order({ email: 'another@example.com' });
    const { pages, items } = await shop.command<{ pages: number; items: Record<string, string>[] }>(
      'exportPerson',
      { email },
    );
    expect(pages).toBe(2);
    expect(items).toHaveLength(12);
    expect(items[0]).toMatchObject({ 'E-mail address': email });
    const paid = items.find((item) => item['Order'] === orderId);
    expect(paid).toMatchObject({ 'Payment in tilld': paymentId, State: 'confirming' });
    expect(paid?.['Received']).toContain('BTC');
    expect(paid?.['Transactions']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is neither exported partially nor erased silently while tilld does not respond', async () => {
    const { shop, toTilld } = world;
    toTilld.isDown = true;
    try {
      const email = 'mary@example.com';
      expect(await shop.command('exportPerson', { email })).toEqual({
        error: expect.stringContaining('could not be asked') as string,
      });
      expect(await shop.command('erasePerson', { email })).toMatchObject({
        items_removed: false,
        items_retained: true,
        messages: [expect.stringContaining('Please try again') as string],
      });
    } finally {
      toTilld.isDown = false;
    }
  });

  it('is erased together with the customer in tilld, and payments are kept', async () => {
    const { shop } = world;
    const email = 'joan@example.com';
    const { paymentId } = await shop.order({ email });
    const erased = await shop.command('erasePerson', { email });
    expect(erased).toEqual({
      items_removed: true,
      items_retained: false,
      messages: [expect.stringContaining('was erased in tilld') as string],
      done: true,
    });
    const { items } = await shop.command<{ items: Record<string, string>[] }>('exportPerson', { email });
    expect(items).toMatchObject([{ 'Payment in tilld': paymentId }]);
    expect(await shop.command('erasePerson', { email })).toMatchObject({ items_removed: false });
  });

  it('is erased as usual for a customer who does not exist in tilld', async () => {
    expect(await world.shop.command('erasePerson', { email: 'nobody@example.com' })).toEqual({
      items_removed: false,
      items_retained: false,
      messages: [],
      done: true,
    });
  });
});

describe('deleting the plugin without WooCommerce', () => {
  it('removes its data from the site except those of orders, although tilld does not respond', async () => {
    const { toTilld } = world;
    await world.leave('keep');
    await world.leave('off');
    toTilld.isDown = true;
    try {
      await world.leave('delete');
    } finally {
      toTilld.isDown = false;
    }
    expect(await world.leave<Left[]>('left')).toEqual([{ options: [], isScheduled: false, orderData: 1 }]);
  });

  it('removes its data from every site of a network, including sites that are deleted later', async () => {
    const { owner, shop } = world;
    await shop.site.php('network.php', [shop.site.wordpress]);
    const keys = [await owner.makeKey(SCOPES), await owner.makeKey(SCOPES)];
    const given = { keys, url: owner.till.api.baseUrl, merchantId: owner.merchantId };
    await world.leave('on', null, NETWORK);
    const [first] = await world.leave<number[]>('sites', given, NETWORK);
    const active = async (): Promise<number> =>
      (await owner.endpoints()).filter((endpoint) => endpoint.active).length;
    const before = await active();
    await world.leave('delete-site', { id: first }, NETWORK);
    expect(await active()).toBe(before - 1);
    await world.leave('off', null, NETWORK);
    await world.leave('delete', null, NETWORK);
    const left = await world.leave<Left[]>('left', null, NETWORK);
    // The first site keeps the data of orders, by default; the other one was told to remove them.
    const nothing = { options: [], isScheduled: false };
    expect(left).toEqual([
      { ...nothing, orderData: 1 },
      { ...nothing, orderData: 0 },
    ]);
    expect(await active()).toBe(before - 2);
  });
});

it('PHP reports no warning about the WooCommerce plugin during these tests', () => {
  const complaints =
    world.shop.site.logs().match(/^.*PHP (?:Fatal|Parse|Warning|Notice|Deprecated).*$/gm) ?? [];
  expect(complaints.filter((line) => line.includes('tilld-for-woocommerce'))).toEqual([]);
});
