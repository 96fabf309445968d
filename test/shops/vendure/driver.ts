import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from '../../_helpers/poll.ts';
import type { OrderState, Placed, ShopDriver, ShopSetup } from '../_helpers/driver.ts';
import { installShop } from '../_helpers/install.ts';
import { GraphQl } from './graphql.ts';

const SERVER = join(import.meta.dirname, 'shop/server.mjs');
const START_MS = 120_000;
/** Vendure's output, for the diagnosis of errors. */
const LOG = process.env['SHOPS_LOG'];

interface Order {
  readonly id: string;
  readonly code: string;
  readonly state: string;
  readonly payments: readonly {
    readonly id: string;
    readonly state: string;
    readonly amount: number;
    readonly refunds: readonly { readonly id: string; readonly state: string; readonly total: number }[];
  }[];
  readonly tilldPayments: readonly {
    readonly paymentId: string;
    readonly state: OrderState;
    readonly isCurrent: boolean;
  }[];
  readonly tilldRefunds: readonly {
    readonly refundId: string;
    readonly url: string;
    readonly status: string;
  }[];
  readonly history: { readonly items: readonly { readonly data: { readonly note?: string } }[] };
}

const ORDER = `id code state payments { id state amount refunds { id state total } }
  tilldPayments { paymentId state isCurrent } tilldRefunds { refundId url status }
  history(options: { filter: { type: { eq: "ORDER_NOTE" } } }) { items { data } }`;

interface ShopOptions {
  readonly placeWhenSeen?: boolean;
  /** Where the storefront is; there is none unless a test opens one. */
  readonly storefront?: string;
  /** The server of a shop that has the plugin already. */
  readonly server?: string;
}

/** Vendure with the plugin in a process of its own. */
export class VendureShop implements ShopDriver {
  readonly name = 'Vendure';
  readonly #setup: ShopSetup;
  readonly #directory = mkdtempSync(join(tmpdir(), 'vendure-'));
  readonly #encryptionKey = randomBytes(32).toString('base64');
  readonly #admin: GraphQl;
  /** Of notes and pages, from the next start on. */
  language = 'en';
  /** The session of each order's customer. */
  readonly #customers = new Map<string, GraphQl>();
  readonly #placeWhenSeen: boolean;
  readonly #server: string;
  readonly #storefront: string;
  #child: ChildProcess | null = null;
  #variantId = '';

  private constructor(setup: ShopSetup, options: ShopOptions) {
    const { placeWhenSeen = false, server = SERVER, storefront = 'https://shop.example' } = options;
    this.#storefront = storefront;
    this.#setup = setup;
    this.#placeWhenSeen = placeWhenSeen;
    this.#server = server;
    this.#admin = new GraphQl(`http://127.0.0.1:${setup.port}/admin-api`);
  }

  static async start(setup: ShopSetup, options: ShopOptions = {}): Promise<VendureShop> {
    if (options.server === undefined) await installShop('vendure', '@tilld/vendure-plugin');
    const shop = new VendureShop(setup, options);
    await shop.start();
    await shop.#fill();
    return shop;
  }

  get admin(): GraphQl {
    return this.#admin;
  }

  async connect(agree: (connectUrl: string) => Promise<string>): Promise<void> {
    const { startTilldConnect } = await this.#admin.ask<{ startTilldConnect: string }>(
      'mutation { startTilldConnect }',
    );
    const page = await fetch(await agree(startTilldConnect));
    if (!page.ok) throw new Error(`connecting ended with ${page.status}: ${await page.text()}`);
  }

  async order(
    options: { quantity?: number; email?: string } = {},
  ): Promise<Placed & { readonly orderId: string }> {
    const customer = new GraphQl(`http://127.0.0.1:${this.#setup.port}/shop-api`);
    const emailAddress = options.email ?? `guest-${randomBytes(4).toString('hex')}@example.com`;
    await this.#add(customer, options.quantity ?? 1);
    await customer.must(
      `mutation ($input: CreateCustomerInput!) { setCustomerForOrder(input: $input) { __typename ... on ErrorResult { message } } }`,
      { input: { firstName: 'Ada', lastName: 'L', emailAddress } },
    );
    const address = { streetLine1: 'Main street 1', city: 'Berlin', postalCode: '10115', countryCode: 'DE' };
    await customer.must(
      `mutation ($input: CreateAddressInput!) { setOrderShippingAddress(input: $input) { __typename ... on ErrorResult { message } } }`,
      { input: address },
    );
    const { eligibleShippingMethods } = await customer.ask<{ eligibleShippingMethods: { id: string }[] }>(
      '{ eligibleShippingMethods { id } }',
    );
    await customer.must(
      `mutation ($id: [ID!]!) { setOrderShippingMethod(shippingMethodId: $id) { __typename ... on ErrorResult { message } } }`,
      { id: [eligibleShippingMethods[0]?.id ?? ''] },
    );
    const placed = await this.#pay(customer);
    const { activeOrder } = await customer.ask<{ activeOrder: { id: string } }>('{ activeOrder { id } }');
    this.#customers.set(activeOrder.id, customer);
    return { orderId: activeOrder.id, ...placed };
  }

  async state(orderId: string): Promise<OrderState> {
    const order = await this.#order(orderId);
    if (order.state === 'Cancelled') return 'cancelled';
    const state = order.tilldPayments.find(({ isCurrent }) => isCurrent)?.state ?? 'waiting';
    const isSettled = order.payments.some((payment) => payment.state === 'Settled');
    const isPlaced = order.state === 'PaymentSettled' && isSettled;
    if (state === 'paid' && !isPlaced) return isSettled ? 'short' : 'waiting';
    // The database of the test has one connection, by which half of a change can be read.
    if (isPlaced && state !== 'refunded') return 'paid';
    return state;
  }

  async notes(orderId: string): Promise<readonly string[]> {
    const { history } = await this.#order(orderId);
    return history.items.flatMap(({ data }) => (data.note === undefined ? [] : [data.note]));
  }

  async changeCart(orderId: string, quantity: number): Promise<Placed> {
    await this.changeQuantity(orderId, quantity);
    return this.#pay(this.#customerOf(orderId));
  }

  /** The customer changes the cart and does not go on to pay. */
  async changeQuantity(orderId: string, quantity: number): Promise<void> {
    const customer = this.#customerOf(orderId);
    await customer.must(
      'mutation { transitionOrderToState(state: "AddingItems") { __typename ... on OrderStateTransitionError { message transitionError } } }',
    );
    const { activeOrder } = await customer.ask<{ activeOrder: { lines: { id: string }[] } }>(
      '{ activeOrder { lines { id } } }',
    );
    await customer.must(
      `mutation ($line: ID!, $quantity: Int!) { adjustOrderLine(orderLineId: $line, quantity: $quantity) { __typename ... on ErrorResult { message } } }`,
      { line: activeOrder.lines[0]?.id ?? '', quantity },
    );
  }

  /** A shopper says himself that he has paid. */
  async forgePayment(orderId: string, paymentId: string): Promise<void> {
    const metadata = { paymentId, amount: 2_500, state: 'Settled' };
    await this.#customerOf(orderId).must(
      'mutation ($input: PaymentInput!) { addPaymentToOrder(input: $input) { __typename ... on ErrorResult { message } } }',
      { input: { method: 'coins', metadata } },
    );
  }

  /** The shopkeeper cancels an order that was placed. */
  async cancelPlaced(orderId: string): Promise<void> {
    await this.#admin.must(
      'mutation ($id: ID!) { cancelOrder(input: { orderId: $id }) { __typename ... on ErrorResult { message } } }',
      { id: orderId },
    );
  }

  /** As a customer, in the session of an order. */
  async asCustomer<T>(orderId: string, query: string): Promise<T> {
    return this.#customerOf(orderId).ask<T>(query);
  }

  /** The shopkeeper gives a part back; in Vendure's minor units. */
  async refundPart(orderId: string, amount: number): Promise<void> {
    const payment = (await this.#order(orderId)).payments.find(({ state }) => state === 'Settled');
    const nothing = { lines: [], shipping: 0, adjustment: 0, reason: 'A part' };
    await this.#admin.must(
      `mutation ($input: RefundOrderInput!) { refundOrder(input: $input) { __typename ... on ErrorResult { message } } }`,
      { input: { paymentId: payment?.id ?? '', amount, ...nothing } },
    );
  }

  /** Vendure's refunds of an order, and the links behind them. */
  async refundsOf(orderId: string): Promise<{
    readonly refunds: readonly { readonly id: string; readonly state: string; readonly total: number }[];
    readonly links: Order['tilldRefunds'];
  }> {
    const { payments, tilldRefunds } = await this.#order(orderId);
    return { refunds: payments.flatMap(({ refunds }) => refunds), links: tilldRefunds };
  }

  /** The payments of an order, and which of them it follows. */
  async paymentsOf(orderId: string): Promise<Order['tilldPayments']> {
    return (await this.#order(orderId)).tilldPayments;
  }

  /** The shopkeeper deletes the customer of an order. */
  async deleteCustomer(orderId: string): Promise<void> {
    const { order } = await this.#admin.ask<{ order: { customer: { id: string } } }>(
      'query ($id: ID!) { order(id: $id) { customer { id } } }',
      { id: orderId },
    );
    const { id } = order.customer;
    await this.#admin.ask('mutation ($id: ID!) { deleteCustomer(id: $id) { result } }', { id });
  }

  /** Vendure's own state of the order. */
  async orderState(orderId: string): Promise<string> {
    return (await this.#order(orderId)).state;
  }

  async cancel(orderId: string): Promise<void> {
    await this.#admin.must(
      `mutation ($id: ID!) { transitionOrderToState(id: $id, state: "Cancelled") { __typename ... on OrderStateTransitionError { message transitionError } } }`,
      { id: orderId },
    );
  }

  async refund(orderId: string): Promise<{ readonly linkUrl: string }> {
    const order = await this.#order(orderId);
    const payment = order.payments.find(({ state }) => state === 'Settled');
    const money = { amount: payment?.amount ?? 0, lines: [], shipping: 0, adjustment: 0 };
    const input = { paymentId: payment?.id ?? '', ...money, reason: 'Out of stock' };
    await this.#admin.must(
      `mutation ($input: RefundOrderInput!) { refundOrder(input: $input) { __typename ... on ErrorResult { message } } }`,
      { input },
    );
    const found = await eventually(
      'the claim link is beside the order',
      () => this.#order(orderId),
      ({ tilldRefunds }) => tilldRefunds.length > 0,
    );
    const linkUrl = found.tilldRefunds.at(-1)?.url ?? '';
    await eventually(
      'the link is in a note',
      () => this.notes(orderId),
      (notes) => notes.some((note) => note.includes(linkUrl)),
    );
    return { linkUrl };
  }

  async refundSettled(orderId: string): Promise<boolean> {
    const { payments } = await this.#order(orderId);
    const refunds = payments.flatMap((payment) => payment.refunds);
    return refunds.length > 0 && refunds.every(({ state }) => state === 'Settled');
  }

  /** Vendure has none of its own: what shops write, a job that cancels orders which wait for their payment. */
  async cleanUp(): Promise<void> {
    const { orders } = await this.#admin.ask<{ orders: { items: { id: string }[] } }>(
      '{ orders(options: { filter: { state: { in: ["ArrangingPayment", "PaymentAuthorized"] } }, take: 100 }) { items { id } } }',
    );
    for (const { id } of orders.items) await this.cancel(id).catch(() => undefined);
  }

  async reconcile(): Promise<void> {
    await this.#admin.ask('mutation { reconcileTilld }');
  }

  async health(): Promise<{ readonly key: boolean; readonly webhook: boolean; readonly node: boolean }> {
    const { tilldHealth } = await this.#admin.ask<{
      tilldHealth: { key: boolean; webhook: boolean; node: boolean };
    }>('{ tilldHealth { key webhook node } }');
    return tilldHealth;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [this.#server], {
      cwd: dirname(this.#server),
      env: {
        PATH: process.env['PATH'] ?? '',
        PORT: String(this.#setup.port),
        DATABASE: join(this.#directory, 'shop.sqlite'),
        TILLD_URL: this.#setup.tilldUrl,
        SERVER_URL: this.#setup.publicUrl,
        STOREFRONT_URL: this.#storefront,
        TILLD_ENCRYPTION_KEY: this.#encryptionKey,
        TILLD_TEST_MODE: 'true',
        PLACE_WHEN_SEEN: String(this.#placeWhenSeen),
        LANGUAGE_OF_NOTES: this.language,
        VENDURE_DISABLE_TELEMETRY: 'true',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
      if (LOG !== undefined) appendFileSync(LOG, chunk);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    await eventually(
      'Vendure answers',
      () => {
        if (child.exitCode !== null) throw new Error(`Vendure ended: ${output.slice(-3000)}`);
        return output.includes('the shop is ready');
      },
      Boolean,
      START_MS,
    );
    await this.#admin.login('superadmin', 'superadmin');
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #pay(customer: GraphQl): Promise<Placed> {
    const { createTilldPayment } = await customer.ask<{ createTilldPayment: Placed & { message?: string } }>(
      `mutation { createTilldPayment {
        __typename ... on TilldCheckout { paymentId checkoutUrl } ... on TilldCheckoutError { errorCode message } } }`,
    );
    const { paymentId, checkoutUrl, message } = createTilldPayment;
    if (message !== undefined) throw new Error(message);
    return { paymentId, checkoutUrl };
  }

  async #add(customer: GraphQl, quantity: number): Promise<void> {
    await customer.must(
      `mutation ($id: ID!, $quantity: Int!) { addItemToOrder(productVariantId: $id, quantity: $quantity) { __typename ... on ErrorResult { message } } }`,
      { id: this.#variantId, quantity },
    );
  }

  async #fill(): Promise<void> {
    const { createProduct } = await this.#admin.ask<{ createProduct: { id: string } }>(
      `mutation { createProduct(input: { enabled: true, translations: [{ languageCode: en, name: "Mug", slug: "mug", description: "" }] }) { id } }`,
    );
    const { createProductVariants } = await this.#admin.ask<{ createProductVariants: { id: string }[] }>(
      `mutation ($id: ID!) { createProductVariants(input: [{ productId: $id, sku: "MUG", price: 2000, stockOnHand: 10000,
        translations: [{ languageCode: en, name: "Mug" }] }]) { id } }`,
      { id: createProduct.id },
    );
    this.#variantId = createProductVariants[0]?.id ?? '';
  }

  async #order(orderId: string): Promise<Order> {
    const { order } = await this.#admin.ask<{ order: Order | null }>(
      `query ($id: ID!) { order(id: $id) { ${ORDER} } }`,
      { id: orderId },
    );
    if (order === null) throw new Error(`no order ${orderId}`);
    return order;
  }

  #customerOf(orderId: string): GraphQl {
    const customer = this.#customers.get(orderId);
    if (customer === undefined) throw new Error(`no customer of order ${orderId}`);
    return customer;
  }
}
