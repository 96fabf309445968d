import { Shop, type PaymentJson } from '../api-client.ts';
import { invite, newMember, signedIn, type Person } from '../people.ts';
import { eventually } from '../poll.ts';
import { Till } from '../till.ts';
import { WebhookSink } from '../webhook-sink.ts';

const DAY_MS = 24 * 3_600_000;
/** The refund address of a payer in LTC. */
const PAYER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';

/** What becomes of payments, in the order in which a busy day brings them. */
const OUTCOMES = [
  'exact BTC',
  'exact LTC',
  'expired',
  'exact ETH',
  'exact SOL',
  'overpay ETH',
  'exact BTC',
  'cancelled',
  'underpay LTC',
  'exact LTC',
  'late SOL',
  'exact BTC',
  'refunded LTC',
  'double-spend BTC',
  'exact SOL',
] as const;

const NAMES = [
  'Ann',
  'Maximiliana von und zu Hohenfels-Oberhuber',
  'José María Fernández de la Cruz',
  '山田 太郎',
  'Bob',
] as const;
const ORDERS = ['A-', 'web-2026-', '2026/Bestellung/Filiale-Nord/', '#'] as const;
const AMOUNTS = ['4.90', '49.90', '1250.75', '12', '0.50', '25000', '319.99'] as const;

/** Clock of the past that is put forward to now, payment by payment. */
class ShopClock {
  #aheadMs: number;

  constructor(days: number) {
    this.#aheadMs = -days * DAY_MS;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Forward by a time, at most to now. */
  advance(ms: number): void {
    this.#aheadMs = Math.min(0, this.#aheadMs + ms);
  }
}

/**
 * A shop in the sandbox after two busy months: payments of every outcome, customers with long names, amounts
 * of 18 decimals, people, links, keys, endpoints that work and one that does not.
 */
export class BusyShop implements AsyncDisposable {
  readonly till: Till;
  readonly shop: Shop;
  #owner: Person | null = null;
  readonly sink: WebhookSink;
  readonly clock: ShopClock;
  /** The newest payment of each outcome, by its name in OUTCOMES, and one still `pending`. */
  readonly payments = new Map<string, PaymentJson>();

  private constructor(fields: Pick<BusyShop, 'till' | 'shop' | 'sink' | 'clock'>) {
    this.till = fields.till;
    this.shop = fields.shop;
    this.sink = fields.sink;
    this.clock = fields.clock;
  }

  /** @param payments how many, spread over two months */
  static async open(payments: number): Promise<BusyShop> {
    const clock = new ShopClock(60);
    const till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' }, { clock });
    await till.ready();
    const sink = await WebhookSink.start();
    const settings = {
      name: 'Buchhandlung zur Blauen Tür',
      currency: 'EUR',
      timeZone: 'Europe/Berlin',
      latePayments: 'review',
      supportContact: 'hilfe@blaue-tuer.example',
    };
    const shop = await Shop.open(till.api, { settings, webhookUrl: sink.url });
    const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', {
      token: shop.token,
    });
    const busy = new BusyShop({ till, shop, sink, clock });
    await busy.#sell(payments);
    // Two months ended every session and token of the first day.
    busy.#owner = await signedIn(till.api, user.email);
    await busy.#furnish();
    return busy;
  }

  async end(): Promise<void> {
    await this.sink.close();
    await this.till.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  get owner(): Person {
    if (this.#owner === null) throw new Error('the shop is not open yet');
    return this.#owner;
  }

  /** The payment of an outcome. @throws when the shop has none */
  payment(outcome: string): PaymentJson {
    const found = this.payments.get(outcome);
    if (found === undefined) throw new Error(`no payment of the outcome ${outcome}`);
    return found;
  }

  async ask<T>(path: string, body: object): Promise<T> {
    return this.till.api.must<T>('POST', path, { token: this.shop.secretKey, body });
  }

  async #sell(count: number): Promise<void> {
    // A payment's hour is over well before the next outcome that needs it is looked at.
    const stepMs = (60 * DAY_MS) / count;
    for (let number = 0; number < count; number += 1) {
      const outcome = OUTCOMES[number % OUTCOMES.length] ?? 'expired';
      await this.#sellOne(number, outcome);
      this.clock.advance(stepMs);
    }
    this.clock.advance(60 * DAY_MS);
    this.payments.set('pending', await this.#create(count));
  }

  async #create(number: number): Promise<PaymentJson> {
    const email = `buyer-${'long'.repeat(number % 8)}${(number * 37) % 211}@mail.example`;
    return this.shop.createPayment({
      orderId: `${ORDERS[number % ORDERS.length]}${1000 + number}`,
      amount: AMOUNTS[number % AMOUNTS.length],
      currency: number % 9 === 0 ? 'USD' : 'EUR',
      customerId: undefined,
      customer: number % 6 === 0 ? {} : { email, metadata: { name: NAMES[number % NAMES.length] } },
      ...(number % 4 === 0 ? { description: 'Three novels and a map of the coast, wrapped as a gift' } : {}),
    });
  }

  async #sellOne(number: number, outcome: (typeof OUTCOMES)[number]): Promise<void> {
    const payment = await this.#create(number);
    const [what = '', coin = 'BTC'] = outcome.split(' ');
    const paymentId = payment.id;
    this.payments.set(outcome, payment);
    if (what === 'expired') return;
    if (what === 'cancelled') return void (await this.ask('/payment/cancel', { paymentId }));
    const scenario = what === 'refunded' ? 'exact' : what;
    const done = what === 'underpay' ? { confirmations: 1 } : { confirmations: 6 };
    await this.ask('/sandbox/payment/simulate', { paymentId, scenario, coin, ...done });
    if (what === 'refunded') await this.ask('/payment/refund', { paymentId, destination: PAYER });
  }

  /** What is not sold: people, things, keys, endpoints. */
  async #furnish(): Promise<void> {
    const { merchantId } = this.shop;
    const asOwner = async <T>(path: string, body: object) =>
      this.till.api.must<T>('POST', path, { token: this.owner.token, body: { merchantId, ...body } });
    await newMember(this.till.api, this.owner.session, { merchantId, role: 'clerk' });
    await newMember(this.till.api, this.owner.session, { merchantId, role: 'bookkeeper' });
    const invited = { merchantId, email: 'somebody.with.a.long.name@blaue-tuer.example', role: 'manager' };
    await invite(this.owner.session, invited as Parameters<typeof invite>[1]);
    for (const name of ['Sealed letter', 'A subscription to the quarterly review of coastal cartography']) {
      const { id } = await asOwner<{ id: string }>('/merchant/product/create', { name, description: name });
      for (const amount of ['12.50', '119']) {
        await asOwner('/merchant/price/create', { productId: id, amount, currency: 'EUR' });
      }
    }
    await this.#subscribe();
    await asOwner('/merchant/link/create', {
      name: 'Support the reading room',
      currency: 'EUR',
      openAmount: {},
    });
    await asOwner('/merchant/link/create', { name: 'Till 1', kind: 'pos', currency: 'EUR', openAmount: {} });
    const scopes = ['payments:write', 'refunds:write', 'customers:write', 'events:read', 'webhooks:write'];
    await asOwner('/merchant/keys/create', { name: 'WooCommerce, blaue-tuer.example', scopes });
    await asOwner('/merchant/webhook/endpoint/create', { url: 'http://127.0.0.1:9/orders/of/the/warehouse' });
    await asOwner('/payment/refund-link', { paymentId: this.payment('overpay ETH').id, preset: 'excess' });
    await eventually(
      'money can be sent',
      () => this.shop.balance('LTC'),
      (balance) => Number(balance) > 1,
    );
    const send = { destination: PAYER, amount: '0.12345678', coin: 'LTC', note: 'Rent of the shop in May' };
    await asOwner('/merchant/wallet/send', send);
    await this.shop.createPayment({ amount: '99', orderId: 'the-last-one' });
  }

  /** Subscribers: one who has paid, one with an open invoice, one in a trial, and one who cancelled. */
  async #subscribe(): Promise<void> {
    const asOwner = async <T>(path: string, body: object) =>
      this.till.api.must<T>('POST', path, {
        token: this.owner.token,
        body: { merchantId: this.shop.merchantId, ...body },
      });
    const recurring = { name: 'Box of novels', recurring: true, recurringInterval: 'monthly' };
    const { id: productId } = await asOwner<{ id: string }>('/merchant/product/create', recurring);
    const price = { productId, amount: '24.90', currency: 'EUR' };
    const { id: priceId } = await asOwner<{ id: string }>('/merchant/price/create', price);
    const subscribe = async (email: string, fields: object = {}) =>
      asOwner<{ id: string; openPaymentId: string | null }>('/merchant/subscription/create', {
        priceId,
        customer: { email },
        ...fields,
      });
    const paid = await subscribe('maximiliana.von.und.zu.hohenfels-oberhuber@mail.example');
    await this.ask('/sandbox/payment/simulate', {
      paymentId: paid.openPaymentId,
      scenario: 'exact',
      coin: 'LTC',
      confirmations: 6,
    });
    await subscribe('open-invoice@mail.example', { quantity: 3 });
    await subscribe('trial@mail.example', { trialDays: 14 });
    const { id: subscriptionId } = await subscribe('cancelled@mail.example');
    await asOwner('/merchant/subscription/cancel', { subscriptionId });
  }
}
