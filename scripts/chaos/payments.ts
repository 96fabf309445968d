import { parseCoinAmount } from '../../src/domain/money.ts';
import type { PaymentJson, Shop } from '../../test/_helpers/api-client.ts';
import type { ChainWorld, Whereabouts } from './chain-world.ts';
import type { OrderPlan } from './plan.ts';

/** One thing that a payer did, and what became of it on the real chain. */
export interface Transfer {
  /** The transaction and those that replaced it and pay the same. */
  readonly txids: string[];
  readonly amount: bigint;
  readonly sentAt: number;
  /** When the till was first shown it for certain: an undisturbed node had it while the till looked; null: never. */
  shownAt: number | null;
  where: Whereabouts;
  /** Where it was, from when on. */
  readonly log: { readonly at: number; readonly where: Whereabouts }[];
}

export interface Order {
  readonly plan: OrderPlan;
  readonly payment: PaymentJson;
  readonly address: string;
  readonly due: bigint;
  readonly deadline: number;
  readonly transfers: Transfer[];
  /** Times of paying that are still to come. */
  left: number;
}

/** Everybody who orders and pays. */
export class Payments {
  readonly orders: Order[] = [];
  /** Up to which block payments may count as settled, from when on. */
  readonly settled: { readonly at: number; readonly height: number }[] = [];
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
    const { address, amount } = payment.options[coin];
    const order: Order = {
      plan,
      payment,
      address,
      due: parseCoinAmount(amount, coin),
      deadline: Date.parse(payment.expiresAt),
      transfers: [],
      left: plan.kind === 'unpaid' ? 0 : plan.kind === 'twice' || plan.kind === 'in-two' ? 2 : 1,
    };
    this.orders.push(order);
    return order;
  }

  /** Pays once, as the plan says. Answers what was paid. */
  async pay(order: Order): Promise<Transfer> {
    const { address, plan } = order;
    const amount = amountOf(order.due, plan.kind, order.transfers.length);
    order.left -= 1;
    const txid = await this.#world.pay({ address, amount, way: plan.way });
    const transfer: Transfer = {
      txids: [txid],
      amount,
      sentAt: this.#world.clock.now(),
      shownAt: null,
      where: { kind: 'waiting' },
      log: [],
    };
    order.transfers.push(transfer);
    return transfer;
  }

  /** Whether the order is to be paid now; `stepMs`: how long until the next chance. */
  isDue(order: Order, step: number, stepMs: number): boolean {
    if (order.left === 0) return false;
    const now = this.#world.clock.now();
    const { kind } = order.plan;
    if (kind === 'late') return now > order.deadline + 5_000;
    const end = order.deadline - 3_000;
    if (kind === 'last-moment') return now < end && now + stepMs >= end;
    return step >= order.plan.step + order.plan.payAfterSteps;
  }

  /** Asks the real node where everything is. */
  async refresh(): Promise<void> {
    const all = this.transfers;
    const found = await this.#world.whereabouts(all.flatMap(({ txids }) => txids));
    const at = this.#world.clock.now();
    this.settled.push({ at, height: await this.#world.settledHeight() });
    for (const transfer of all) {
      const places = transfer.txids.map((txid) => found.get(txid) ?? { kind: 'absent' as const });
      transfer.where = places.find(({ kind }) => kind === 'mined') ??
        places.find(({ kind }) => kind === 'waiting') ?? { kind: 'absent' };
      transfer.log.push({ at, where: transfer.where });
    }
  }

  /** The till looked at an undisturbed node just now. */
  shown(): void {
    for (const transfer of this.transfers) {
      if (transfer.where.kind !== 'absent') transfer.shownAt ??= this.#world.clock.now();
    }
  }
}

function amountOf(due: bigint, kind: OrderPlan['kind'], paid: number): bigint {
  if (kind === 'under') return (due * 4n) / 10n;
  if (kind === 'over') return (due * 15n) / 10n;
  if (kind === 'in-two') return paid === 0 ? due / 3n : due - due / 3n;
  return due;
}
