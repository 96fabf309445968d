import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../_helpers/poll.ts';
import type { OrderState, Placed, ShopDriver, ShopSetup } from '../_helpers/driver.ts';
import { Site } from './site.ts';

const run = promisify(execFile);
const PLUGIN = 'tilld-for-woocommerce';

/** What a shopkeeper sees of an order that waits for him, by what the plugin told him last. */
const ON_HOLD: Readonly<Record<string, OrderState>> = {
  // Read between the two statements by which WooCommerce saves status and meta.
  waiting: 'waiting',
  seen: 'seen',
  short: 'short',
  'other-amount': 'short',
  late: 'late',
  reversed: 'lost',
};
const BY_STATUS: Readonly<Record<string, OrderState>> = {
  pending: 'waiting',
  processing: 'paid',
  completed: 'paid',
  cancelled: 'cancelled',
  refunded: 'refunded',
};

export interface OrderOptions {
  readonly quantity?: number;
  readonly email?: string;
  /** Which checkout made the order: `checkout` is the classic one, `store-api` that of blocks. */
  readonly via?: 'checkout' | 'store-api';
  readonly currency?: string;
  /** What each line costs, in `currency`, instead of the article's price. */
  readonly lines?: readonly string[];
}

export interface Mail {
  readonly subject: string;
  readonly text: string;
}

/** WooCommerce with the plugin as it is built, in a WordPress of its own. */
export class WooShop implements ShopDriver {
  readonly name = 'WooCommerce';
  readonly site: Site;
  readonly #setup: ShopSetup;
  readonly #secret: string;
  #cookies = '';

  private constructor(site: Site, setup: ShopSetup, secret: string) {
    this.site = site;
    this.#setup = setup;
    this.#secret = secret;
  }

  /** With the WooCommerce in the directory that TILLD_TEST_WOOCOMMERCE names, or the stand-in. */
  static async start(setup: ShopSetup): Promise<WooShop> {
    const secret = randomUUID();
    const site = await Site.install(setup.publicUrl, setup.port, secret);
    try {
      await run('packages/woocommerce/build', [join(site.dir, 'built')]);
      const woocommerce = process.env['TILLD_TEST_WOOCOMMERCE'] ?? 'test/shops/woocommerce/stand-in';
      await site.activate('woocommerce', woocommerce);
      await site.activate(PLUGIN, join(site.dir, 'built', PLUGIN), setup.tilldUrl);
      await site.start();
      return new WooShop(site, setup, secret);
    } catch (error) {
      await site[Symbol.asyncDispose]();
      throw error;
    }
  }

  async connect(agree: (connectUrl: string) => Promise<string>): Promise<void> {
    const settings = await this.settingsPage();
    const [, link = ''] = /id="tilld-connect" href="([^"]+)"/.exec(settings) ?? [];
    const away = await this.visit(unescaped(link));
    const back = await agree(away.headers.get('location') ?? '');
    const home = (await this.visit(back)).headers.get('location') ?? '';
    if (!home.includes('tilld=connected')) throw new Error(`not connected: ${home} ${this.site.logs()}`);
  }

  async order({ quantity = 1, ...given }: OrderOptions = {}): Promise<Placed & { orderId: string }> {
    return this.command('order', { quantity, ...given });
  }

  async state(orderId: string): Promise<OrderState> {
    const read = async (): Promise<{ state: OrderState | undefined; status: string; tilld: string }> => {
      const seen = await this.command<{ status: string; tilld: string }>('state', { orderId });
      return { ...seen, state: seen.status === 'on-hold' ? ON_HOLD[seen.tilld] : BY_STATUS[seen.status] };
    };
    // WooCommerce saves status and meta by two statements: between them an order can be on hold and still told as paid.
    const { state } = await eventually(
      `order ${orderId} has a state`,
      read,
      (seen) => seen.state !== undefined,
    );
    if (state === undefined) throw new Error(`order ${orderId} has no state`);
    return state;
  }

  async notes(orderId: string): Promise<readonly string[]> {
    return this.command('notes', { orderId });
  }

  async changeCart(orderId: string, quantity: number): Promise<Placed> {
    return this.command('changeCart', { orderId, quantity });
  }

  async cancel(orderId: string): Promise<void> {
    await this.command('cancel', { orderId });
  }

  async refund(orderId: string, amount?: string): Promise<{ linkUrl: string }> {
    await this.command('refund', { orderId, amount });
    const note = (await this.notes(orderId)).findLast((text) => text.includes('/r/')) ?? '';
    const [linkUrl = ''] = /https?:\/\/\S+\/r\/[\w-]+/.exec(unescaped(note)) ?? [];
    return { linkUrl };
  }

  /** What the shop mailed to an address. */
  async mails(to: string): Promise<Mail[]> {
    return this.command('mails', { to });
  }

  async refundSettled(orderId: string): Promise<boolean> {
    const refunds = await this.refunds(orderId);
    return refunds.length > 0 && refunds.every(({ status }) => status === 'paid');
  }

  async refunds(orderId: string): Promise<{ amount: string; status: string }[]> {
    return this.command('refunds', { orderId });
  }

  /** The thank-you page of a customer who has come back, once the order is paid. */
  async comeBack(orderId: string): Promise<string> {
    return this.site.php('come-back.php', [this.site.wordpress, orderId]);
  }

  async cleanUp(): Promise<void> {
    await this.command('cleanUp');
  }

  async reconcile(): Promise<void> {
    await this.command('reconcile');
  }

  async health(): Promise<{ key: boolean; webhook: boolean; node: boolean }> {
    const page = await this.settingsPage();
    const says = (name: string): boolean => {
      const [, word] = new RegExp(`data-tilld-health="${name}:(\\w+)"`).exec(page) ?? [];
      if (word === undefined) throw new Error(`the settings say nothing of ${name}: ${page.slice(0, 2000)}`);
      return word === 'ok';
    };
    return { key: says('key'), webhook: says('webhook'), node: says('node') };
  }

  async start(): Promise<void> {
    await this.site.start();
  }

  async stop(): Promise<void> {
    await this.site.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]();
  }

  /** One of those in commands.php. @throws when the site refuses it */
  async command<T>(name: string, given: Record<string, unknown> = {}): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${this.#setup.port}/?shop-test=${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-shop-test': this.#secret },
      body: JSON.stringify(given),
      signal: AbortSignal.timeout(120_000),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text.slice(0, 1000)}`);
    return JSON.parse(text) as T;
  }

  async settingsPage(query = '', request: RequestInit = {}): Promise<string> {
    const path = `/wp-admin/admin.php?page=wc-settings&tab=checkout&section=tilld${query}`;
    const page = await this.visit(this.#setup.publicUrl + path, request);
    return page.text();
  }

  /** Sends the form of the settings. @returns the page that answers */
  async postSettings(form: URLSearchParams): Promise<string> {
    const path = '/wp-admin/admin.php?page=wc-settings&tab=checkout&section=tilld';
    const answer = await this.visit(this.#setup.publicUrl + path, { method: 'POST', body: form });
    return answer.text();
  }

  /** A page as the owner's browser gets it, without following where it leads. */
  async visit(url: string, request: RequestInit = {}): Promise<Response> {
    if (this.#cookies === '') await this.#signIn();
    return fetch(url, { ...request, redirect: 'manual', headers: { cookie: this.#cookies } });
  }

  async #signIn(): Promise<void> {
    const body = new URLSearchParams({ log: 'owner', pwd: 'a long pass phrase of the owner' });
    const answer = await fetch(`${this.#setup.publicUrl}/wp-login.php`, {
      method: 'POST',
      body,
      redirect: 'manual',
    });
    await answer.arrayBuffer();
    this.#cookies = answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
    if (!this.#cookies.includes('wordpress_logged_in')) throw new Error(`not signed in: ${answer.status}`);
  }
}

function unescaped(text: string): string {
  return text.replaceAll('&#038;', '&').replaceAll('&amp;', '&');
}
