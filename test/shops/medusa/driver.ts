import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../_helpers/poll.ts';
import type { OrderState, Placed, ShopDriver, ShopSetup } from '../_helpers/driver.ts';
import { installShop } from '../_helpers/install.ts';
import { Postgres } from './postgres.ts';

const run = promisify(execFile);
const SHOP = join(import.meta.dirname, 'shop');
const CLI = 'node_modules/@medusajs/cli/cli.js';
const PROVIDER = 'pp_tilld_tilld';
const OTHER_PROVIDER = 'pp_system_default';
const STOREFRONT = 'http://localhost:8000';
const START_MS = 120_000;
/** States of payments that keep a cart from being given up. */
const WITH_MONEY: readonly OrderState[] = ['seen', 'short', 'late'];
/** Medusa's output, for the diagnosis of errors. */
const LOG = process.env['SHOPS_LOG'];

interface Seed {
  readonly regionId: string;
  readonly shippingId: string;
  readonly variantId: string;
  readonly publishable: string;
  readonly secret: string;
}

interface PaymentSession {
  readonly id: string;
  readonly provider_id: string;
  readonly data: { readonly payment_id: string; readonly checkout_url: string };
}

interface Cart {
  readonly id: string;
  readonly items: readonly { readonly id: string }[];
  readonly payment_collection?: {
    readonly id: string;
    readonly payment_sessions?: readonly PaymentSession[];
  };
}

interface Order {
  readonly id: string;
  readonly status: string;
  readonly payment_status: string;
  readonly payment_collections: readonly { readonly payments: readonly { readonly id: string }[] }[];
}

interface ShownPayment {
  readonly id: string;
  readonly orderId: string | null;
  readonly state: OrderState;
  readonly captured: boolean;
  readonly isCurrent: boolean;
  readonly notes: readonly { readonly text: string }[];
  readonly refunds: readonly {
    readonly id: string;
    readonly amount: string;
    readonly status: string;
    readonly url: string;
  }[];
}

interface ShopOptions {
  /** The folder of a shop that has the plugin already. */
  readonly fresh?: string;
  /** Where the storefront is; there is none unless a test opens one. */
  readonly storefront?: string;
}

/** Medusa with the plugin in a process of its own. An order is known by its cart: Medusa places it once money is seen. */
export class MedusaShop implements ShopDriver {
  readonly name = 'Medusa';
  /** Whether simulated money pays orders; from the next start on. */
  testMode = true;
  readonly #setup: ShopSetup;
  readonly #postgres: Postgres;
  readonly #storefront: string;
  readonly #directory: string;
  readonly #cli: string;
  #server: ChildProcess | null = null;
  #seed: Seed | null = null;

  private constructor(setup: ShopSetup, postgres: Postgres, options: ShopOptions) {
    const { fresh, storefront = STOREFRONT } = options;
    this.#setup = setup;
    this.#storefront = storefront;
    this.#postgres = postgres;
    this.#directory = fresh ?? SHOP;
    this.#cli = join(fresh ?? import.meta.dirname, CLI);
  }

  static async open(setup: ShopSetup, options: ShopOptions = {}): Promise<MedusaShop> {
    if (options.fresh === undefined) await installShop('medusa', '@tilld/medusa-payment');
    else await run(join(import.meta.dirname, '../install'), ['medusa']);
    const shop = new MedusaShop(setup, await Postgres.start(), options);
    try {
      await run(process.execPath, [shop.#cli, 'db:migrate'], {
        cwd: shop.#directory,
        env: shop.#env,
        timeout: START_MS * 3,
      });
      await shop.start();
      shop.#seed = await shop.#ask<Seed>('POST', '/seed', {});
      return shop;
    } catch (error) {
      await shop[Symbol.asyncDispose]();
      throw error;
    }
  }

  async connect(agree: (connectUrl: string) => Promise<string>): Promise<void> {
    const { url } = await this.admin<{ url: string }>('POST', '/admin/tilld/connect', {});
    const answer = await fetch(await agree(url));
    if (!answer.ok) throw new Error(`connecting was answered with ${answer.status}: ${await answer.text()}`);
  }

  async order({ quantity = 1, email }: { quantity?: number; email?: string } = {}): Promise<
    Placed & { orderId: string }
  > {
    const { regionId, shippingId, variantId } = this.#seeded;
    const address = {
      first_name: 'Ada',
      last_name: 'Byron',
      address_1: 'Street 1',
      city: 'Berlin',
      postal_code: '10115',
      country_code: 'de',
    };
    const { cart } = await this.#store<{ cart: Cart }>('POST', '/store/carts', {
      region_id: regionId,
      ...(email === undefined ? {} : { email }),
      shipping_address: address,
      items: [{ variant_id: variantId, quantity }],
    });
    await this.#store('POST', `/store/carts/${cart.id}/shipping-methods`, { option_id: shippingId });
    return { orderId: cart.id, ...(await this.#choose(cart.id)) };
  }

  /** As far as there is an order, it is Medusa's word that counts; before that, and beyond it, the plugin's. */
  async state(orderId: string): Promise<OrderState> {
    const payment = await this.payment(orderId);
    if (payment.orderId === null) {
      const sessions = sessionsOf(await this.#cart(orderId));
      const isOpen = sessions.some((session) => session.data.payment_id === payment.id);
      if (payment.state === 'paid') return 'seen';
      return isOpen || WITH_MONEY.includes(payment.state) ? payment.state : 'cancelled';
    }
    const order = await this.orderOf(payment.orderId);
    if (order.status === 'canceled') return 'cancelled';
    const isPaid = order.payment_status === 'captured';
    if (payment.state === 'paid') return isPaid ? 'paid' : 'seen';
    if (payment.state === 'refunded') return order.payment_status === 'refunded' ? 'refunded' : 'paid';
    return payment.state;
  }

  async notes(orderId: string): Promise<readonly string[]> {
    return (await this.paymentsOf(orderId)).flatMap(({ notes }) => notes.map(({ text }) => text));
  }

  /** The customer goes on to pay. */
  async payAgain(cartId: string): Promise<Placed> {
    return this.#choose(cartId);
  }

  /** What a storefront reads of the payment of a cart or an order. */
  async status(by: 'cart_id' | 'order_id', id: string): Promise<Record<string, string | null>> {
    const path = `/store/tilld/payment?${by}=${id}`;
    return (await this.#store<{ payment: Record<string, string | null> }>('GET', path)).payment;
  }

  /** The shopkeeper gives a part back. */
  async refundPart(cartId: string, amount: number): Promise<void> {
    const { orderId } = await this.payment(cartId);
    const order = await this.orderOf(orderId ?? '');
    await this.admin('POST', `/admin/payments/${order.payment_collections[0]?.payments[0]?.id}/refund`, {
      amount,
    });
  }

  async changeCart(orderId: string, quantity: number): Promise<Placed> {
    const cart = await this.#cart(orderId);
    await this.#store('POST', `/store/carts/${orderId}/line-items/${cart.items[0]?.id}`, { quantity });
    return this.#choose(orderId);
  }

  /** Before there is an order the customer gives it up by another way to pay, afterwards the shopkeeper cancels it. */
  async cancel(orderId: string): Promise<void> {
    const payment = await this.payment(orderId);
    if (payment.orderId === null) await this.#choose(orderId, OTHER_PROVIDER);
    else await this.admin('POST', `/admin/orders/${payment.orderId}/cancel`, {});
  }

  async refund(orderId: string): Promise<{ linkUrl: string }> {
    const { orderId: id } = await this.payment(orderId);
    if (id === null) throw new Error(`${orderId} has no order`);
    const paymentId = (await this.orderOf(id)).payment_collections[0]?.payments[0]?.id;
    await this.admin('POST', `/admin/payments/${paymentId}/refund`, {});
    const link = (await this.payment(orderId)).refunds.at(-1);
    if (link === undefined) throw new Error('no claim link was made');
    return { linkUrl: link.url };
  }

  async refundSettled(orderId: string): Promise<boolean> {
    const { refunds } = await this.payment(orderId);
    return refunds.length > 0 && refunds.every(({ status }) => status === 'paid');
  }

  async cleanUp(): Promise<void> {
    await this.#ask('POST', '/clean-up', {});
  }

  async reconcile(): Promise<void> {
    await this.admin('POST', '/admin/tilld/reconcile', {});
  }

  async health(): Promise<{ key: boolean; webhook: boolean; node: boolean }> {
    const { health } = await this.admin<{ health: Record<'key' | 'webhook' | 'node', boolean | null> }>(
      'GET',
      '/admin/tilld/health',
    );
    const { key, webhook, node } = health;
    return { key: key === true, webhook: webhook === true, node: node === true };
  }

  async start(): Promise<void> {
    const server = spawn(
      process.execPath,
      [this.#cli, 'start', '-H', '127.0.0.1', '-p', String(this.#setup.port)],
      {
        cwd: this.#directory,
        env: this.#env,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#server = server;
    let said = '';
    const hear = (chunk: Buffer): void => {
      said = (said + chunk.toString()).slice(-20_000);
      if (LOG !== undefined) appendFileSync(LOG, chunk);
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    const isUp = async (): Promise<boolean> => {
      if (server.exitCode !== null) throw new Error(`Medusa ended: ${said}`);
      return fetch(`${this.url}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    await eventually('Medusa is up', isUp, Boolean, START_MS);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null || server.exitCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGTERM');
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#postgres[Symbol.asyncDispose]();
  }

  /** Another price for the payment session of a cart, which stays; answers the payment that it has then. */
  async changePrice(cartId: string, amount: number): Promise<string> {
    const [session] = sessionsOf(await this.#cart(cartId));
    const body = { id: session?.id, amount };
    const changed = await this.#ask<{ session: PaymentSession }>('POST', '/change-price', body);
    return changed.session.data.payment_id;
  }

  /** One more payment session of a cart, in addition to its existing ones. */
  async addSession(cartId: string): Promise<void> {
    const { payment_collection: collection } = await this.#cart(cartId);
    await this.#ask('POST', '/add-session', { collectionId: collection?.id, provider: PROVIDER });
  }

  /** Takes the payment sessions of a cart or its order, without asking the plugin. */
  async loseSessions(cartId: string): Promise<void> {
    const { payment_collection: collection } = await this.#cart(cartId);
    await this.#ask('POST', '/lose-sessions', { collectionId: collection?.id });
  }

  /** Raises the amount that a cart or its order requests, and leaves its price and its session. */
  async raiseCollection(cartId: string, amount: number): Promise<void> {
    const { payment_collection: collection } = await this.#cart(cartId);
    await this.#ask('POST', '/raise-collection', { collectionId: collection?.id, amount });
  }

  /** Loses what the plugin knows, but for the connection. */
  async forget(): Promise<void> {
    await this.#ask('POST', '/forget', {});
  }

  /** Chooses how the cart is paid; answers the payment that the customer is sent to. */
  async #choose(cartId: string, provider = PROVIDER): Promise<Placed> {
    const { payment_collection: collection } = await this.#store<{ payment_collection: { id: string } }>(
      'POST',
      '/store/payment-collections',
      { cart_id: cartId },
    );
    const body = { provider_id: provider };
    await this.#store('POST', `/store/payment-collections/${collection.id}/payment-sessions`, body);
    const session = sessionsOf(await this.#cart(cartId)).find(({ provider_id }) => provider_id === provider);
    if (session === undefined) throw new Error(`cart ${cartId} has no payment session`);
    return { paymentId: session.data.payment_id, checkoutUrl: session.data.checkout_url };
  }

  /** The page of the storefront that sells the article. */
  get storefrontPath(): string {
    return `/checkout?shop=${encodeURIComponent(JSON.stringify({ ...this.#seeded, secret: undefined }))}`;
  }

  async #cart(cartId: string): Promise<Cart> {
    return (await this.#store<{ cart: Cart }>('GET', `/store/carts/${cartId}`)).cart;
  }

  async sessions(cartId: string): Promise<readonly PaymentSession[]> {
    return sessionsOf(await this.#cart(cartId));
  }

  async orderOf(id: string): Promise<Order> {
    return (await this.admin<{ order: Order }>('GET', `/admin/orders/${id}`)).order;
  }

  /** The payments of a cart, newest first, as the shopkeeper sees them. */
  async paymentsOf(cartId: string): Promise<readonly ShownPayment[]> {
    const path = `/admin/tilld/payments?cart_id=${cartId}`;
    return (await this.admin<{ payments: ShownPayment[] }>('GET', path)).payments;
  }

  /** The payment that a cart or its order follows. */
  async payment(cartId: string): Promise<ShownPayment> {
    const payment = (await this.paymentsOf(cartId)).find(({ isCurrent }) => isCurrent);
    if (payment === undefined) throw new Error(`cart ${cartId} has no payment`);
    return payment;
  }

  async #store<T>(method: string, path: string, body?: object): Promise<T> {
    return this.#ask<T>(method, path, body, { 'x-publishable-api-key': this.#seeded.publishable });
  }

  /** A page as the shopkeeper reads it. */
  async page(path: string): Promise<string> {
    const answer = await fetch(this.url + path, { headers: this.#shopkeeper });
    if (!answer.ok) throw new Error(`GET ${path} was answered with ${answer.status}`);
    return answer.text();
  }

  /** As the shopkeeper. */
  async admin<T>(method: string, path: string, body?: object): Promise<T> {
    return this.#ask<T>(method, path, body, this.#shopkeeper);
  }

  /** What an administrator's browser sends along. */
  get credentials(): { authorization: string } {
    return this.#shopkeeper;
  }

  get #shopkeeper(): { authorization: string } {
    return { authorization: `Basic ${Buffer.from(`${this.#seeded.secret}:`).toString('base64')}` };
  }

  async #ask<T>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  get #seeded(): Seed {
    if (this.#seed === null) throw new Error('the shop has no article yet');
    return this.#seed;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#setup.port}`;
  }

  get #env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      NODE_ENV: 'production',
      DATABASE_URL: this.#postgres.url,
      TILLD_URL: this.#setup.tilldUrl,
      TILLD_TEST_MODE: String(this.testMode),
      BACKEND_URL: this.#setup.publicUrl,
      STOREFRONT_URL: this.#storefront,
      STORE_CORS: this.#storefront,
      ADMIN_CORS: this.#storefront,
      AUTH_CORS: this.#storefront,
      JWT_SECRET: 'a secret of the test',
      COOKIE_SECRET: 'another secret of the test',
      DISABLE_MEDUSA_ADMIN: 'true',
      MEDUSA_DISABLE_TELEMETRY: 'true',
    };
  }
}

function sessionsOf({ payment_collection }: Cart): readonly PaymentSession[] {
  return payment_collection?.payment_sessions ?? [];
}
