import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiAnswer, PaymentJson, SendJson, Shop } from './api-client.ts';
import { toAtoms, toDecimal, type RegtestNode } from './nodes/index.ts';
import { eventually } from './poll.ts';
import type { WebhookSink } from './webhook-sink.ts';

const PAUSE_MS = 50;
const SETTLED_WITHIN_MS = 240_000;
const ORDERS_PER_BLOCK = 2;
const SEND_ATOMS = 20_000n;
/** Answers that say nothing about the request: it is repeated. */
const isUnanswered = (status: number): boolean => status >= 500 || status === 409;

interface Order {
  readonly id: string;
  readonly address: string;
  readonly atoms: bigint;
  /** When it was answered, ms. */
  readonly at: number;
}

interface Send {
  readonly id: string;
  /** An address of its own, so that the chain shows how often it was paid. */
  readonly destination: string;
  /** When it was answered, ms. */
  readonly at: number;
}

/**
 * A shop on a regtest chain of Bitcoin that takes orders, is paid, and sends from its wallet, while its daemon may be
 * away: it repeats each request with the same key until it is answered, as a shop should.
 */
export class RegtestLoad {
  readonly orders: Order[] = [];
  readonly sends: Send[] = [];
  /** Whether it sends, too. */
  isSending = true;
  readonly #shop: Shop;
  readonly #node: RegtestNode;
  readonly #sink: WebhookSink;
  #stopping = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor({ shop, node, sink }: { shop: Shop; node: RegtestNode; sink: WebhookSink }) {
    this.#shop = shop;
    this.#node = node;
    this.#sink = sink;
  }

  start(): void {
    this.#stopping = new AbortController();
    this.#work = this.#run(this.#stopping.signal);
  }

  /** Ends after the current order. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
  }

  async #run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      await this.#order();
      if (this.orders.length % ORDERS_PER_BLOCK === 0) await this.#node.mine(1);
      if (this.isSending) await this.#send();
      await pause(PAUSE_MS);
    }
  }

  /** Waits for a number of further orders. */
  async grow(count: number): Promise<void> {
    const wanted = this.orders.length + count;
    const isFailed = this.#work.then(() => true);
    await eventually(
      `${count} more orders`,
      async () => Promise.race([isFailed, pause(PAUSE_MS, false)]),
      (hasEnded) => hasEnded || this.orders.length >= wanted,
      SETTLED_WITHIN_MS,
    );
  }

  async #order(): Promise<void> {
    const body = {
      amount: '100',
      currency: 'USD',
      customerId: this.#shop.customerId,
      orderId: `order-${randomBytes(6).toString('hex')}`,
    };
    const { data } = await this.#untilAnswered<PaymentJson>('/payment/create', body);
    const { address, amount } = data.options.BTC;
    const order = { id: data.id, address, atoms: toAtoms(amount), at: Date.now() };
    this.orders.push(order);
    await this.#node.pay({ address, amountAtoms: order.atoms });
  }

  async #send(): Promise<void> {
    const [key, destination] = [randomBytes(8).toString('hex'), await this.#node.newAddress()];
    const body = { coin: 'BTC', amount: toDecimal(SEND_ATOMS), destination };
    const { success, error, data } = await this.#untilAnswered<SendJson>('/merchant/wallet/send', body, {
      'Idempotency-Key': key,
    });
    if (success) this.sends.push({ id: data.id, destination, at: Date.now() });
    // Until the first payments are settled there is nothing to send.
    else if (error?.code !== 'INSUFFICIENT_BALANCE') throw new Error(JSON.stringify(error));
  }

  async #untilAnswered<T>(
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<T>['body']> {
    for (;;) {
      const answer = await this.#shop.api
        .call<T>('POST', path, { token: this.#shop.secretKey, body, headers })
        .catch(() => null);
      if (answer !== null && !isUnanswered(answer.status)) return answer.body;
      await pause(PAUSE_MS);
    }
  }

  /** Waits until the payments of the orders are completed and the sends confirmed. */
  async settle(orders: readonly Order[] = this.orders, sends: readonly Send[] = this.sends): Promise<void> {
    await eventually(
      'payments and sends are settled',
      async () => {
        await this.#node.mine(1);
        const states = [
          ...(await Promise.all(orders.map(async ({ id }) => (await this.#shop.payment(id)).status))),
          ...(await Promise.all(sends.map(async ({ id }) => (await this.#sendStatus(id)).status))),
        ];
        return states.filter((status) => status !== 'completed' && status !== 'confirmed');
      },
      (open) => open.length === 0,
      SETTLED_WITHIN_MS,
    );
  }

  async #sendStatus(id: string): Promise<SendJson> {
    const path = `/merchant/wallet/send-status?sendId=${id}`;
    return this.#shop.api.must<SendJson>('GET', path, { token: this.#shop.secretKey });
  }

  /** What the daemon says about settled orders and sends, without what each block changes; those that it knows. */
  async snapshot(): Promise<Map<string, object>> {
    const views = new Map<string, object>();
    const token = this.#shop.secretKey;
    for (const { id } of this.orders) {
      const path = `/payment/get?paymentId=${id}`;
      const { status: known, body } = await this.#shop.api.call<PaymentJson>('GET', path, { token });
      if (known === 404) continue;
      const { status, exception, orderId, transactions, timeline } = body.data;
      const paid = transactions.map(({ txid, amount, status: state }) => ({ txid, amount, state }));
      views.set(id, { status, exception, orderId, paid, timeline });
    }
    for (const { id } of this.sends) {
      const path = `/merchant/wallet/send-status?sendId=${id}`;
      const { status: known, body } = await this.#shop.api.call<SendJson>('GET', path, { token });
      if (known === 404) continue;
      const { status, txHash, fee, amount, destination } = body.data;
      views.set(id, { status, txHash, fee, amount, destination });
    }
    return views;
  }

  /** What is wrong with settled orders: money that is missing or double, addresses given twice, webhooks. */
  async problemsOfOrders(orders: readonly Order[] = this.orders): Promise<string[]> {
    const problems: string[] = [];
    if (new Set(this.orders.map(({ address }) => address)).size !== this.orders.length)
      problems.push('an address was issued twice');
    for (const { id, atoms } of orders) {
      const { options, transactions } = await this.#shop.payment(id);
      const received = toAtoms(options.BTC.received);
      if (received !== atoms || transactions.length !== 1)
        problems.push(`${id}: ${received} of ${atoms} atoms in ${transactions.length} transactions`);
      await this.#sink.waitForEvent('payment.completed', id);
      for (const type of ['payment.created', 'payment.completed']) {
        const events = this.#sink.of(id).filter(({ body }) => body.type === type);
        // A webhook may be delivered again, then with the same id.
        const ids = new Set(events.map(({ headers }) => headers['webhook-id']));
        if (ids.size !== 1) problems.push(`${id}: ${ids.size} events ${type}`);
      }
    }
    return problems;
  }

  /** Sends that the chain does not have exactly once. */
  async problemsOfSends(sends: readonly Send[] = this.sends): Promise<string[]> {
    const problems: string[] = [];
    for (const { id, destination } of sends) {
      const [seen] = await this.#node.walletRpc<{ amount: string; txids: string[] }[]>(
        'listreceivedbyaddress',
        [1, true, false, destination],
      );
      const atoms = seen === undefined ? 0n : toAtoms(seen.amount);
      if (atoms !== SEND_ATOMS || seen?.txids.length !== 1)
        problems.push(`${id}: the chain has ${atoms} atoms in ${seen?.txids.length ?? 0} transactions`);
    }
    return problems;
  }
}
