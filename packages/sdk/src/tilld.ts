import type { Body, Data, Method, PathOf, Query } from './contract.ts';
import { createOperations } from './operations.ts';
import { createCall, type CallOptions, type TilldOptions } from './request.ts';
import * as make from './resources.ts';

type Made<Name extends keyof typeof make> = ReturnType<(typeof make)[Name]>;

/** Options of a request of any operation. */
export interface RequestParts<M extends Method, P extends PathOf<M>> extends CallOptions {
  readonly query?: Query<M, P>;
  readonly body?: Body<M, P>;
}

/** The API of a tilld daemon. */
export class Tilld {
  readonly payments: Made<'payments'>;
  readonly refunds: Made<'refunds'>;
  readonly refundLinks: Made<'refundLinks'>;
  readonly customers: Made<'customers'>;
  readonly products: Made<'products'>;
  readonly prices: Made<'prices'>;
  /** Payment links: pages on which anyone can pay. */
  readonly links: Made<'links'>;
  /** Counters: devices that charge customers in a shop. */
  readonly counters: Made<'counters'>;
  readonly subscriptions: Made<'subscriptions'>;
  readonly wallet: Made<'wallet'>;
  readonly webhooks: Made<'webhooks'>;
  /** Webhook endpoints in addition to the merchant's own URL. */
  readonly endpoints: Made<'endpoints'>;
  readonly events: Made<'events'>;
  readonly merchants: Made<'merchants'>;
  readonly keys: Made<'keys'>;
  readonly connect: Made<'connect'>;
  readonly rates: Made<'rates'>;
  readonly sandbox: Made<'sandbox'>;
  readonly auth: Made<'auth'>;
  /** For operators. */
  readonly service: Made<'service'>;
  /** Any operation by method and path. */
  readonly request: <M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    parts?: RequestParts<M, P>,
  ) => Promise<Data<M, P>>;

  constructor(options: TilldOptions) {
    const call = createCall(options);
    const ways = createOperations(call);
    this.payments = make.payments(ways, call);
    this.refunds = make.refunds(ways);
    this.refundLinks = make.refundLinks(ways);
    this.customers = make.customers(ways);
    this.products = make.products(ways);
    this.prices = make.prices(ways);
    this.links = make.links(ways);
    this.counters = make.counters(ways);
    this.subscriptions = make.subscriptions(ways);
    this.wallet = make.wallet(ways);
    this.webhooks = make.webhooks(ways);
    this.endpoints = make.endpoints(ways);
    this.events = make.events(ways, call);
    this.merchants = make.merchants(ways);
    this.keys = make.keys(ways);
    this.connect = make.connect(ways);
    this.rates = make.rates(ways);
    this.sandbox = make.sandbox(ways);
    this.auth = make.auth(ways);
    this.service = make.service(ways, call);
    this.request = (method, path, { query, body, ...options } = {}) =>
      call({ method, path, query: query as object | undefined, body, options }) as Promise<never>;
  }
}
