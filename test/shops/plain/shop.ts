import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { OrderState, Placed, ShopDriver, ShopSetup } from '../_helpers/driver.ts';

interface Order {
  readonly id: string;
  quantity: number;
  payment: Payment;
  state: OrderState;
  readonly notes: string[];
  refundLink: { readonly id: string } | null;
  isRefundSettled: boolean;
  /** The claim whose delay was noted. */
  delayedClaim: string | null;
  /** What was noted of refunds: links that ended, and sends of the dashboard. */
  readonly refundsNoted: Set<string>;
}

interface Payment {
  readonly id: string;
  readonly checkoutUrl: string;
  readonly status: string;
  readonly exception: string | null;
  readonly amount: string;
  readonly orderId: string;
  readonly currency: string;
  readonly timeline: readonly { readonly type: string }[];
  readonly refunds: readonly {
    readonly sendId: string;
    readonly linkId: string | null;
    readonly status: string;
    readonly fiatAmount: string | null;
  }[];
}

interface RefundLink {
  readonly id: string;
  readonly status: string;
  readonly claimId: string | null;
  readonly problem: string | null;
  readonly amount: string;
  readonly currency: string;
}

interface Connection {
  readonly merchantId: string;
  readonly key: string;
  secret: string;
}

const PRICE = 20;
const SCOPES = 'payments:write refunds:write customers:write events:read webhooks:write';

/** The smallest shop that does all a plugin must do: it holds the suite of cases to what the API can give. */
export class PlainShop implements ShopDriver {
  readonly name = 'plain';
  readonly #setup: ShopSetup;
  readonly #orders = new Map<string, Order>();
  #connection: Connection | null = null;
  #after = 0;
  #server: Server | null = null;

  constructor(setup: ShopSetup) {
    this.#setup = setup;
  }

  async connect(agree: (connectUrl: string) => Promise<string>): Promise<void> {
    const codeVerifier = randomBytes(32).toString('base64url');
    const state = randomBytes(16).toString('base64url');
    const page = new URL('/connect', this.#setup.tilldUrl);
    page.search = String(
      new URLSearchParams({
        name: 'Plain shop',
        scopes: SCOPES,
        redirectUrl: `${this.#setup.publicUrl}/connected`,
        state,
        codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      }),
    );
    const back = new URL(await agree(page.href)).searchParams;
    if (back.get('state') !== state) throw new Error('not our request');
    const answer = await fetch(`${this.#setup.tilldUrl}/connect/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: back.get('code'), codeVerifier }),
    });
    const { data } = (await answer.json()) as { data: { merchantId: string; key: string } };
    this.#connection = { merchantId: data.merchantId, key: data.key, secret: '' };
    this.#connection.secret = await this.#endpointSecret();
  }

  async order({ quantity = 1, email }: { quantity?: number; email?: string } = {}): Promise<
    Placed & { orderId: string }
  > {
    const id = `plain-${randomBytes(6).toString('hex')}`;
    const payment = await this.#call<Payment>('POST', '/payment/create', {
      orderId: id,
      amount: String(PRICE * quantity),
      currency: 'USD',
      customer: email === undefined ? {} : { email },
      lines: [{ name: 'Mug', quantity, amount: String(PRICE * quantity) }],
    });
    const order: Order = {
      id,
      quantity,
      payment,
      state: 'waiting',
      notes: [],
      refundLink: null,
      isRefundSettled: false,
      delayedClaim: null,
      refundsNoted: new Set(),
    };
    this.#orders.set(id, order);
    return { orderId: id, paymentId: payment.id, checkoutUrl: payment.checkoutUrl };
  }

  async state(orderId: string): Promise<OrderState> {
    return Promise.resolve(this.#order(orderId).state);
  }

  async notes(orderId: string): Promise<readonly string[]> {
    return Promise.resolve(this.#order(orderId).notes);
  }

  async changeCart(orderId: string, quantity: number): Promise<Placed> {
    const order = this.#order(orderId);
    order.quantity = quantity;
    order.payment = await this.#call<Payment>('PATCH', '/payment/update', {
      paymentId: order.payment.id,
      amount: String(PRICE * quantity),
      lines: [{ name: 'Mug', quantity, amount: String(PRICE * quantity) }],
    });
    return { paymentId: order.payment.id, checkoutUrl: order.payment.checkoutUrl };
  }

  async cancel(orderId: string): Promise<void> {
    const order = this.#order(orderId);
    const payment = await this.#call<Payment>('POST', '/payment/cancel', { paymentId: order.payment.id });
    this.#apply(order, payment);
    order.state = 'cancelled';
  }

  async refund(orderId: string): Promise<{ linkUrl: string }> {
    const order = this.#order(orderId);
    const body = { paymentId: order.payment.id, preset: 'all' };
    const link = await this.#call<{ id: string; url: string }>('POST', '/payment/refund-link', body);
    order.refundLink = link;
    return { linkUrl: link.url };
  }

  async refundSettled(orderId: string): Promise<boolean> {
    return Promise.resolve(this.#order(orderId).isRefundSettled);
  }

  async cleanUp(): Promise<void> {
    for (const order of this.#orders.values()) {
      if (order.state === 'waiting') await this.cancel(order.id).catch(() => this.#refresh(order));
    }
  }

  async reconcile(): Promise<void> {
    for (;;) {
      const { events, nextAfter } = await this.#call<{
        events: { paymentId: string | null }[];
        nextAfter: number;
      }>('GET', `/merchant/events?after=${this.#after}&limit=100`);
      for (const { paymentId } of events) if (paymentId !== null) await this.#look(paymentId);
      this.#after = nextAfter;
      if (events.length === 0) return;
    }
  }

  async health(): Promise<{ key: boolean; webhook: boolean; node: boolean }> {
    const node = await fetch(`${this.#setup.tilldUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    const found = await this.#call<{ endpoints: { url: string; active: boolean }[] }>(
      'GET',
      '/merchant/webhook/endpoint/list',
    ).catch(() => null);
    const webhook =
      found?.endpoints.some(({ url, active }) => active && url.startsWith(this.#setup.publicUrl)) ?? false;
    return { key: found !== null, webhook, node };
  }

  async start(): Promise<void> {
    const server = createServer((incoming, outgoing) => {
      void this.#webhook(incoming).then(
        (status) => outgoing.writeHead(status).end(),
        () => outgoing.writeHead(500).end(),
      );
    });
    server.listen(this.#setup.port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    this.#server = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #webhook(incoming: IncomingMessage): Promise<number> {
    const body = Buffer.concat(await incoming.toArray()).toString('utf8');
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given } = incoming.headers;
    const secret = Buffer.from(this.#connected.secret.slice('whsec_'.length), 'base64');
    const wanted = createHmac('sha256', secret)
      .update(`${String(id)}.${String(at)}.${body}`)
      .digest();
    const signed = String(given)
      .split(' ')
      .some((each) => {
        const mac = Buffer.from(each.slice('v1,'.length), 'base64');
        return mac.length === wanted.length && timingSafeEqual(mac, wanted);
      });
    if (!signed) return 400;
    const { data } = JSON.parse(body) as { data: { payment?: { id: string } } };
    if (data.payment !== undefined) await this.#look(data.payment.id);
    return 200;
  }

  async #look(paymentId: string): Promise<void> {
    const order = [...this.#orders.values()].find(({ payment }) => payment.id === paymentId);
    if (order !== undefined) await this.#refresh(order);
  }

  async #refresh(order: Order): Promise<void> {
    const payment = await this.#call<Payment>('GET', `/payment/get?paymentId=${order.payment.id}`);
    this.#apply(order, payment);
    this.#noteRefunds(order, payment);
    if (order.refundLink === null) return;
    const path = `/payment/refund-links?paymentId=${payment.id}`;
    const { refundLinks } = await this.#call<{ refundLinks: RefundLink[] }>('GET', path);
    const link = refundLinks.find(({ id }) => id === order.refundLink?.id);
    if (link !== undefined) this.#applyRefund(order, link);
  }

  /** Those of the dashboard, once the network has them. */
  #noteRefunds(order: Order, { refunds, currency }: Payment): void {
    for (const { sendId, linkId, status, fiatAmount } of refunds) {
      const isTaken = status === 'broadcast' || status === 'confirmed';
      if (linkId !== null || !isTaken || fiatAmount === null || order.refundsNoted.has(sendId)) continue;
      order.refundsNoted.add(sendId);
      order.notes.push(`${fiatAmount} ${currency} were given back in tilld`);
    }
  }

  #applyRefund(order: Order, { id, status, claimId, problem, amount, currency }: RefundLink): void {
    order.isRefundSettled = status === 'paid';
    const isEnded = status === 'expired' || status === 'cancelled';
    if (isEnded && !order.refundsNoted.has(id)) {
      order.refundsNoted.add(id);
      order.notes.push(
        `the link for the refund of ${amount} ${currency} is ${status}: nothing was paid back`,
      );
    }
    const isDelayed = problem !== null && (status === 'claimed' || status === 'approved');
    if (!isDelayed || order.delayedClaim === claimId) return;
    order.delayedClaim = claimId;
    order.notes.push(`the refund cannot be sent at present, and is tried again: ${problem}`);
  }

  #apply(order: Order, payment: Payment): void {
    order.payment = payment;
    const state = stateOf(payment);
    if (order.state === state || (order.state === 'cancelled' && state === 'waiting')) return;
    order.state = state;
    order.notes.push(`${state}: ${payment.status}, ${payment.exception ?? 'as asked'}, in BTC`);
  }

  async #endpointSecret(): Promise<string> {
    const url = `${this.#setup.publicUrl}/webhook`;
    const { endpoints } = await this.#call<{ endpoints: { id: string; url: string }[] }>(
      'GET',
      '/merchant/webhook/endpoint/list',
    );
    const existing = endpoints.find((endpoint) => endpoint.url === url);
    if (existing === undefined) {
      const body = { url };
      return (await this.#call<{ secret: string }>('POST', '/merchant/webhook/endpoint/create', body)).secret;
    }
    const path = `/merchant/webhook/endpoint/secret?endpointId=${existing.id}`;
    return (await this.#call<{ secret: string }>('GET', path)).secret;
  }

  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(this.#setup.tilldUrl + path, {
      method,
      headers: { authorization: `Bearer ${this.#connected.key}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    const { success, error, data } = (await answer.json()) as {
      success: boolean;
      error: { code: string; message: string } | null;
      data: T;
    };
    if (!success) throw new Error(`${method} ${path}: ${error?.code} ${error?.message}`);
    return data;
  }

  get #connected(): Connection {
    if (this.#connection === null) throw new Error('not connected');
    return this.#connection;
  }

  #order(orderId: string): Order {
    const order = this.#orders.get(orderId);
    if (order === undefined) throw new Error(`no order ${orderId}`);
    return order;
  }
}

function stateOf({ status, exception, timeline }: Payment): OrderState {
  if (status === 'completed') return 'paid';
  if (status === 'refunded') return 'refunded';
  if (status === 'confirming') return 'seen';
  if (exception === 'late') return 'late';
  if (status === 'underpaid') return 'short';
  if (status !== 'pending') return 'lost';
  return timeline.at(-1)?.type === 'payment.reversed' ? 'lost' : 'waiting';
}
