import { formatCoinAmount, parseCoinAmount } from '../../src/domain/money.ts';
import type { ApiAnswer, SendJson, Shop } from '../../test/_helpers/api-client.ts';
import type { ChainWorld } from './chain-world.ts';
import { leadOf, type Order } from './payments.ts';
import type { SendKind } from './plan.ts';

/** A send or refund that the merchant requested, and the responses. */
export interface WantedSend {
  readonly key: string;
  readonly kind: SendKind;
  /** Null if it stays in the wallet (consolidation). */
  readonly destination: string | null;
  /** The refunded order; null if it is not a refund. */
  readonly order: Order | null;
  readonly request: { readonly path: string; readonly body: Readonly<Record<string, unknown>> };
  /** The response to each attempt. */
  readonly events: string[];
  /** No further attempt: it was accepted, or rejected for good. */
  isOver: boolean;
}

/** The merchant: repeats requests without a clear response, with the same idempotency key. */
export class Treasurer {
  readonly wanted: WantedSend[] = [];
  readonly #world: ChainWorld;
  readonly #inHand = new Set<Promise<void>>();

  constructor(world: ChainWorld) {
    this.#world = world;
  }

  /** Requests a send of a share of the balance, in per cent, to an unused address; null: all of it. */
  async want(shop: Shop, percent: number | null): Promise<WantedSend | null> {
    const { coin } = this.#world;
    const balance = parseCoinAmount(await shop.balance(coin), coin);
    const amount = (balance * BigInt(percent ?? 100)) / 100n;
    if (amount === 0n) return null;
    const destination = await this.#world.newDestination();
    const body = { coin, destination, amount: percent === null ? 'max' : formatCoinAmount(amount, coin) };
    const kind = percent === null ? 'send-all' : 'send';
    return this.#add({ kind, destination, order: null }, { path: '/merchant/wallet/send', body });
  }

  /** Requests a refund of a payment: a share of the price in per cent, or everything. */
  async wantRefund(order: Order, percent: number | null): Promise<WantedSend> {
    const destination = await this.#world.newDestination();
    const payment = leadOf(order);
    const part = percent === null ? null : ((order.plan.dollars * percent) / 100).toFixed(2);
    const amount = part === null ? {} : { amount: part, currency: 'USD' };
    const body = { paymentId: payment.id, destination, ...amount };
    const kind = percent === null ? 'refund' : 'refund-part';
    return this.#add({ kind, destination, order }, { path: '/payment/refund', body });
  }

  /** Requests a consolidation; null if the coin has no outputs. */
  wantConsolidation(): WantedSend | null {
    const { coin } = this.#world;
    if (coin !== 'BTC' && coin !== 'LTC') return null;
    const request = { path: '/merchant/wallet/consolidate', body: { coin } };
    return this.#add({ kind: 'consolidate', destination: null, order: null }, request);
  }

  /** Attempts all open requests, without waiting for the responses. */
  tryAll(shop: Shop): void {
    for (const send of this.wanted) {
      if (send.isOver) continue;
      send.isOver = true;
      const tried = this.#try(shop, send).finally(() => this.#inHand.delete(tried));
      this.#inHand.add(tried);
    }
  }

  async answered(): Promise<void> {
    await Promise.all(this.#inHand);
  }

  #add(what: Pick<WantedSend, 'kind' | 'destination' | 'order'>, request: WantedSend['request']): WantedSend {
    const key = `send-${this.wanted.length + 1}`;
    const send = { key, ...what, request, events: [], isOver: false };
    this.wanted.push(send);
    return send;
  }

  async #try(shop: Shop, send: WantedSend): Promise<void> {
    const { path, body } = send.request;
    try {
      const answer: ApiAnswer<SendJson> = await shop.api.call('POST', path, {
        token: shop.secretKey,
        body,
        headers: { 'idempotency-key': send.key },
      });
      const code = answer.body.error?.code;
      send.events.push(`${answer.status}${code === undefined ? '' : ` ${code}`}`);
      // The node did not respond, or the request is still being processed: retried later.
      if (answer.status >= 500 || code === 'IDEMPOTENCY_IN_FLIGHT') send.isOver = false;
    } catch (error) {
      send.events.push(String(error));
      send.isOver = false;
    }
  }
}
