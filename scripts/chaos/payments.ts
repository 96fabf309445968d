import { parseCoinAmount } from '../../src/domain/money.ts';
import type { PaymentJson, Shop } from '../../test/_helpers/api-client.ts';
import type { ChainWorld, Whereabouts } from './chain-world.ts';
import type { OrderPlan, PayKind } from './plan.ts';

/** One transfer of a payer, and its history on the real chain. */
export interface Transfer {
  /** The transaction, and its replacements that make the same payment. */
  readonly txids: string[];
  readonly amount: bigint;
  readonly sentAt: number;
  /** The payment whose address it paid. */
  readonly to: Member;
  /** When the daemon surely saw it first: it polled an undisturbed node that had it; null: never. */
  shownAt: number | null;
  where: Whereabouts;
  /** Its positions over time. */
  readonly log: { readonly at: number; readonly where: Whereabouts }[];
}

/** A payment of an order: the first one, or a renewal. */
export interface Member {
  readonly payment: PaymentJson;
  readonly address: string;
  readonly due: bigint;
  readonly deadline: number;
}

export interface Order extends Member {
  readonly plan: OrderPlan;
  readonly transfers: Transfer[];
  /** Its renewals, oldest first. */
  readonly renewals: Member[];
  /** Number of transfers still to make. */
  left: number;
}

const RENEWED: ReadonlySet<PayKind> = new Set(['renewal', 'renewal-old', 'renewal-both']);
const TIMES: Readonly<Partial<Record<PayKind, number>>> = {
  unpaid: 0,
  twice: 2,
  'in-two': 2,
  'top-up': 2,
  'renewal-both': 2,
};

/** All payments of an order, oldest first. */
export function membersOf(order: Order): readonly Member[] {
  return [order, ...order.renewals];
}

/** The payment that counts the money of all payments of the order. */
export function leadOf(order: Order): PaymentJson {
  return (order.renewals.at(-1) ?? order).payment;
}

/** All payers and their orders. */
export class Payments {
  readonly orders: Order[] = [];
  /** Over time: the highest block whose payments of an amount may count as settled. */
  readonly settled: { readonly at: number; readonly heightFor: (amount: bigint) => number }[] = [];
  /** Times at which two payments of one order were open. */
  readonly askedTwice: string[] = [];
  readonly #world: ChainWorld;

  constructor(world: ChainWorld) {
    this.#world = world;
  }

  get transfers(): readonly Transfer[] {
    return this.orders.flatMap(({ transfers }) => transfers);
  }

  async order(shop: Shop, plan: OrderPlan): Promise<Order> {
    const { coin } = this.#world;
    const payment = await shop.createPayment({ amount: String(plan.dollars), allowedCryptos: [coin] });
    const left = TIMES[plan.kind] ?? 1;
    const order: Order = { plan, ...this.#member(payment), transfers: [], renewals: [], left };
    this.orders.push(order);
    return order;
  }

  /** Renews expired payments and waits for it, as a payer on the checkout does. @returns lines for the history */
  async renew(shop: Shop): Promise<string[]> {
    const lines: string[] = [];
    for (const order of this.orders) {
      if (!RENEWED.has(order.plan.kind) || order.left === 0 || order.renewals.length > 0) continue;
      if (this.#world.clock.now() <= order.deadline) continue;
      const answer = await fetch(`${shop.api.baseUrl}/checkout/${order.payment.id}/renew`, {
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.timeout(30_000),
      }).catch(() => null);
      const next = /\/checkout\/(pay_\w+)/.exec(answer?.headers.get('location') ?? '')?.[1];
      if (next === undefined || next === order.payment.id) continue;
      const payment = await shop.payment(next).catch(() => null);
      if (payment === null) continue;
      order.renewals.push(this.#member(payment));
      lines.push(`${order.payment.id} is renewed by ${next}`);
    }
    return lines;
  }

  /** Pays once, according to the plan. Null if nothing is due. */
  async pay(order: Order, shop: Shop | null = null): Promise<Transfer | null> {
    const { plan } = order;
    const to = targetOf(order);
    const amount = await this.#amountOf(order, to, shop);
    if (amount === 0n) {
      order.left -= 1;
      return null;
    }
    order.left -= 1;
    const txid = await this.#world.pay({ address: to.address, amount, way: plan.way });
    const transfer: Transfer = {
      txids: [txid],
      amount,
      sentAt: this.#world.clock.now(),
      to,
      shownAt: null,
      where: { kind: 'waiting' },
      log: [],
    };
    order.transfers.push(transfer);
    return transfer;
  }

  /** Whether the order must be paid now. @param stepMs time until the next chance */
  isDue(order: Order, step: number, stepMs: number): boolean {
    if (order.left === 0) return false;
    const now = this.#world.clock.now();
    const { kind } = order.plan;
    if (RENEWED.has(kind)) return order.renewals.length > 0;
    if (kind === 'late') return now > order.deadline + 5_000;
    // Late enough that a part of the first transfer may have been refunded.
    if (kind === 'top-up' && order.transfers.length > 0) return now >= order.deadline - 100_000;
    const end = order.deadline - 3_000;
    if (kind === 'last-moment') return now < end && now + stepMs >= end;
    return step >= order.plan.step + order.plan.payAfterSteps;
  }

  /** Reads the positions of all transfers from the real node. */
  async refresh(): Promise<void> {
    const all = this.transfers;
    const found = await this.#world.whereabouts(all.flatMap(({ txids }) => txids));
    const at = this.#world.clock.now();
    this.settled.push({ at, heightFor: await this.#world.settledHeights() });
    for (const transfer of all) {
      const places = transfer.txids.map((txid) => found.get(txid) ?? { kind: 'absent' as const });
      transfer.where = places.find(({ kind }) => kind === 'mined') ??
        places.find(({ kind }) => kind === 'waiting') ?? { kind: 'absent' };
      transfer.log.push({ at, where: transfer.where });
    }
  }

  /** Records that the daemon just polled an undisturbed node. */
  shown(): void {
    for (const transfer of this.transfers) {
      if (transfer.where.kind !== 'absent') transfer.shownAt ??= this.#world.clock.now();
    }
  }

  /** Records orders with more than one open payment, or with an open payment next to a completed one. */
  async noteAskedTwice(shop: Shop): Promise<void> {
    for (const order of this.orders) {
      if (order.renewals.length === 0) continue;
      const states: string[] = [];
      for (const { payment } of membersOf(order)) states.push((await shop.payment(payment.id)).status);
      const asking = states.filter((state) => state === 'pending' || state === 'underpaid').length;
      const isPaid = states.some((state) => state === 'completed' || state === 'confirming');
      if (asking > 1 || (asking > 0 && isPaid))
        this.askedTwice.push(`${order.payment.id}: ${states.join('+')}`);
    }
  }

  #member(payment: PaymentJson): Member {
    const { coin } = this.#world;
    const { address, amount } = payment.options[coin];
    const due = parseCoinAmount(amount, coin);
    return { payment, address, due, deadline: Date.parse(payment.expiresAt) };
  }

  async #amountOf(order: Order, { payment, due }: Member, shop: Shop | null): Promise<bigint> {
    const { kind } = order.plan;
    const times = order.transfers.length;
    if (kind === 'under') return (due * 4n) / 10n;
    if (kind === 'over') return (due * 15n) / 10n;
    if (kind === 'in-two') return times === 0 ? due / 3n : due - due / 3n;
    if (kind === 'top-up')
      return times === 0 || shop === null ? (due * 4n) / 10n : this.#asked(shop, payment.id);
    return due;
  }

  /** The amount due on the checkout; zero if none is. */
  async #asked(shop: Shop, paymentId: string): Promise<bigint> {
    const { coin } = this.#world;
    const answer = await fetch(`${shop.api.baseUrl}/checkout/${paymentId}`, {
      signal: AbortSignal.timeout(30_000),
    });
    const panel = (await answer.text()).split(`data-coin="${coin}"`)[1] ?? '';
    const amount = /data-copy="([0-9.]+)"/.exec(panel)?.[1];
    return amount === undefined ? 0n : parseCoinAmount(amount, coin);
  }
}

/** The payment of the order to pay next. */
function targetOf(order: Order): Member {
  const { kind } = order.plan;
  const newest = order.renewals.at(-1) ?? order;
  if (kind === 'renewal-old') return order;
  if (kind === 'renewal-both') return order.transfers.length === 0 ? newest : order;
  return newest;
}
