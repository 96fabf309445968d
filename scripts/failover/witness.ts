import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient, type PaymentJson, type SendJson } from '../../test/_helpers/api-client.ts';
import type { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import type { Acknowledged, History, Keys, OrderedSend } from './load.ts';
import type { Payer } from './payer.ts';

const WEBHOOK_LIMIT_MS = 90_000;
const PAID_LIMIT_MS = 120_000;
const MINE_EVERY_MS = 250;
const PAGE = 100;
/** Maximum number of listed faults of a kind. */
const NAMED = 3;

export interface Verdict {
  readonly violations: string[];
  readonly payments: number;
  readonly sends: number;
  /** Acknowledged, but missing after the kill. */
  readonly lost: number;
  /** Time from the acknowledgement of the oldest lost item to the kill. */
  readonly lossMs: number;
}

/** A kill, with the responses to the shop before and after it. */
export interface Kill {
  readonly baseUrl: string;
  readonly before: History;
  readonly after: History;
  readonly diedAt: number;
  /** Items acknowledged earlier before the kill than this must not be lost. */
  readonly maxLossMs: number;
}

interface EventJson {
  readonly id: string;
  readonly type: string;
}

/** Records all responses to the shop, over all kills, and compares tilld, chains and webhooks with them. */
export class Witness {
  readonly #keys: Keys;
  readonly #payers: readonly Payer[];
  readonly #sink: WebhookSink;
  /** All acknowledged addresses, with their payment. */
  readonly #owners = new Map<string, string>();
  readonly #sends: OrderedSend[] = [];
  /** Sends that were in the database after the kill. */
  readonly #kept = new Set<string>();
  /** Expected webhooks, by event id, with their type. */
  readonly #wanted = new Map<string, string>();
  readonly #said = new Map<string, string>();
  #eventsRead = 0;
  #deliveriesRead = 0;

  constructor(parts: { keys: Keys; payers: readonly Payer[]; sink: WebhookSink }) {
    this.#keys = parts.keys;
    this.#payers = parts.payers;
    this.#sink = parts.sink;
  }

  /** Webhooks received so far. */
  get webhooks(): number {
    return this.#sink.deliveries.length;
  }

  /** Compares the items acknowledged around a kill with the state after it. */
  async see({ baseUrl, before, after, diedAt, maxLossMs }: Kill): Promise<Verdict> {
    const api = new ApiClient(baseUrl);
    const violations: string[] = [];
    const lost: Acknowledged<unknown>[] = [];
    for (const entry of before.payments) {
      const found = await this.#find<PaymentJson>(api, `/payment/get?paymentId=${entry.what.id}`);
      if (found === null) lost.push(entry);
      else if (addressesOf(found).join() !== addressesOf(entry.what).join())
        violations.push(`payment ${entry.what.id} has other addresses than were given out`);
    }
    for (const entry of before.sends) {
      const found = await this.#sendOf(api, entry.what);
      if (found === null) lost.push(entry);
      else if (found.txHash !== entry.what.txHash)
        violations.push(`send ${entry.what.id} is not the transaction that was acknowledged`);
      if (found !== null) this.#kept.add(entry.what.id);
    }
    for (const { what } of after.sends) this.#kept.add(what.id);
    const sends = [...before.sends, ...after.sends].map(({ what }) => what);
    this.#sends.push(...sends);
    violations.push(...(await paidTwice(sends)));
    const lossMs = Math.max(0, ...lost.map(({ at }) => diedAt - at));
    if (lossMs > maxLossMs) violations.push(`lost what was acknowledged ${Math.round(lossMs)} ms before`);
    for (const { what } of [...before.payments, ...after.payments]) violations.push(...this.#own(what));
    await this.#readEvents(api);
    violations.push(...this.#readDeliveries());
    const [payments, ordered] = [before.payments.length, before.sends.length];
    return { violations, payments, sends: ordered, lost: lost.length, lossMs };
  }

  /** At the end, without further kills: each webhook arrived, each recorded send was paid exactly once. */
  async rest(baseUrl: string): Promise<string[]> {
    const api = new ApiClient(baseUrl);
    const violations: string[] = [];
    await this.#readEvents(api);
    for (const until = Date.now() + WEBHOOK_LIMIT_MS; Date.now() < until; await pause(MINE_EVERY_MS)) {
      violations.push(...this.#readDeliveries());
      if (this.#wanted.size === 0) break;
    }
    const missing = [...this.#wanted].slice(0, NAMED);
    violations.push(...missing.map(([id, type]) => `webhook ${id} (${type}) did not arrive`));
    violations.push(...(await this.#unpaid(api)));
    return [...violations, ...(await paidTwice(this.#sends))];
  }

  #own(payment: PaymentJson): string[] {
    const violations: string[] = [];
    for (const address of addressesOf(payment)) {
      const owner = this.#owners.get(address);
      if (owner !== undefined && owner !== payment.id)
        violations.push(`${address} was assigned to ${owner} and ${payment.id}`);
      this.#owners.set(address, payment.id);
    }
    return violations;
  }

  /** Recorded sends that the chain does not show although blocks are mined, and that did not fail. */
  async #unpaid(api: ApiClient): Promise<string[]> {
    let left = this.#sends.filter(({ id }) => this.#kept.has(id));
    for (const until = Date.now() + PAID_LIMIT_MS; Date.now() < until; await pause(MINE_EVERY_MS)) {
      const open: OrderedSend[] = [];
      for (const send of left) if ((await send.payer.paidTimes(send.destination)) === 0) open.push(send);
      left = open;
      if (left.length === 0) return [];
      for (const payer of this.#payers) await payer.mine();
    }
    const faults: string[] = [];
    for (const send of left) {
      const status = (await this.#sendOf(api, send))?.status ?? 'gone';
      if (status !== 'failed') faults.push(`send ${send.id} (${status}) was never paid`);
    }
    return faults.slice(0, NAMED);
  }

  async #readEvents(api: ApiClient): Promise<void> {
    for (;;) {
      const { events, nextAfter } = await api.must<{ events: EventJson[]; nextAfter: number }>(
        'GET',
        `/merchant/events?after=${this.#eventsRead}&limit=${PAGE}`,
        { token: this.#keys.secretKey },
      );
      for (const { id, type } of events)
        if (type.startsWith('payment.') && !this.#said.has(id)) this.#wanted.set(id, type);
      if (events.length === 0 || nextAfter === this.#eventsRead) return;
      this.#eventsRead = nextAfter;
    }
  }

  /** Repeated deliveries of an id must be equal. */
  #readDeliveries(): string[] {
    const faults: string[] = [];
    const { deliveries } = this.#sink;
    for (const { headers, raw } of deliveries.slice(this.#deliveriesRead)) {
      const id = String(headers['webhook-id']);
      if ((this.#said.get(id) ?? raw) !== raw) faults.push(`webhook ${id} said two things`);
      this.#said.set(id, raw);
      this.#wanted.delete(id);
    }
    this.#deliveriesRead = deliveries.length;
    return faults;
  }

  async #sendOf(api: ApiClient, { id }: OrderedSend): Promise<SendJson | null> {
    return this.#find<SendJson>(api, `/merchant/wallet/send-status?sendId=${id}`);
  }

  /** Null if there is none. */
  async #find<T>(api: ApiClient, path: string): Promise<T | null> {
    const { status, body } = await api.call<T>('GET', path, { token: this.#keys.secretKey });
    if (status === 404) return null;
    if (status !== 200) throw new Error(`the daemon responded ${status}: ${JSON.stringify(body.error)}`);
    return body.data;
  }
}

async function paidTwice(sends: readonly OrderedSend[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { id, payer, destination } of sends) {
    const paid = await payer.paidTimes(destination);
    if (paid > 1) faults.push(`send ${id} was paid ${paid} times in ${payer.coin}`);
  }
  return faults;
}

function addressesOf({ options }: PaymentJson): string[] {
  return Object.entries(options)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([coin, { address }]) => `${coin}:${address}`);
}
