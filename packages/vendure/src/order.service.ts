import { Injectable } from '@nestjs/common';
import {
  ConfigService,
  isGraphQlErrorResult,
  Order,
  OrderService,
  Payment,
  PaymentMethodService,
  RequestContext,
} from '@vendure/core';
import { formatPrice } from './amounts';
import { tilldPaymentHandler, withoutTilld, type HandedPayment } from './handler';

export interface Money {
  readonly paymentId: string;
  /** In minor units. */
  readonly amount: number;
  readonly isFinal: boolean;
}

export type Outcome =
  | { readonly kind: 'done' }
  /** The order is cancelled, costs more than was paid, was already paid, or Vendure rejects the payment. */
  | {
      readonly kind: 'cancelled_order' | 'short_of_total' | 'not_placed' | 'paid_twice';
      readonly facts: Readonly<Record<string, string>>;
    };

const DONE: Outcome = { kind: 'done' };

/** Adds payments to orders and cancels them, always within the caller's transaction. */
@Injectable()
export class TilldOrderService {
  constructor(
    private readonly orders: OrderService,
    private readonly methods: PaymentMethodService,
    private readonly config: ConfigService,
  ) {}

  /** Adds the money to the order, or settles the payment that was added when the money was seen. */
  async pay(tx: RequestContext, order: Order, money: Money): Promise<Outcome> {
    const known = paymentOf(order, money.paymentId);
    if (known?.state === 'Settled') return this.finish(tx, order);
    if (known?.state === 'Authorized') {
      return money.isFinal ? this.settle(tx, order, known) : DONE;
    }
    if (order.state === 'Cancelled') return { kind: 'cancelled_order', facts: {} };
    const other = coveringPayment(order);
    if (other !== undefined) return { kind: 'paid_twice', facts: { other: other.transactionId } };
    if (order.state === 'AddingItems') {
      const moved = await this.orders.transitionToState(tx, order.id, 'ArrangingPayment');
      if (isGraphQlErrorResult(moved)) return notPlaced(moved.transitionError || moved.message);
    }
    return this.add(tx, order, money);
  }

  /**
   * Cancels the payment in Vendure and reopens the order. An order that was already shipped only gets a note.
   */
  async takeBack(tx: RequestContext, order: Order, paymentId: string): Promise<void> {
    const known = paymentOf(order, paymentId);
    if (known === undefined || (known.state !== 'Settled' && known.state !== 'Authorized')) return;
    if (order.state !== 'PaymentSettled' && order.state !== 'PaymentAuthorized') return;
    for (const moved of [
      await this.orders.transitionToState(tx, order.id, 'ArrangingAdditionalPayment'),
      await withoutTilld(paymentId, () => this.orders.transitionPaymentToState(tx, known.id, 'Cancelled')),
    ]) {
      if (isGraphQlErrorResult(moved)) throw new Error(`the payment cannot be taken back: ${moved.message}`);
    }
  }

  private async add(tx: RequestContext, order: Order, money: Money): Promise<Outcome> {
    const method = await this.methodCode(tx);
    if (method === undefined) return notPlaced('no payment method with the handler of tilld is enabled');
    const { paymentId, amount } = money;
    const metadata: HandedPayment = { paymentId, amount, state: money.isFinal ? 'Settled' : 'Authorized' };
    const paid = await this.orders.addPaymentToOrder(tx, order.id, { method, metadata });
    if (isGraphQlErrorResult(paid)) return notPlaced(paid.message);
    return this.finish(tx, order);
  }

  private async settle(tx: RequestContext, order: Order, payment: Payment): Promise<Outcome> {
    const settled = await this.orders.settlePayment(tx, payment.id);
    return isGraphQlErrorResult(settled) ? notPlaced(settled.message) : this.finish(tx, order);
  }

  /** A reopened order must be closed by the code that reopened it: Vendure does not do it. */
  private async finish(tx: RequestContext, { id, currencyCode }: Order): Promise<Outcome> {
    const order = await this.orders.findOne(tx, id, ['payments', 'lines']);
    if (order === undefined) return notPlaced('the order is gone');
    const sumOf = (states: readonly string[]): number =>
      order.payments
        .filter(({ state }) => states.includes(state))
        .reduce((sum, { amount }) => sum + amount, 0);
    const covered = sumOf(['Settled', 'Authorized']);
    if (covered < order.totalWithTax) {
      const precision = this.config.entityOptions.moneyStrategy?.precision ?? 2;
      const shown = (minor: number): string =>
        `${formatPrice(minor, precision, currencyCode)} ${currencyCode}`;
      return { kind: 'short_of_total', facts: { amount: shown(covered), total: shown(order.totalWithTax) } };
    }
    if (order.state !== 'ArrangingAdditionalPayment') return DONE;
    const isSettled = sumOf(['Settled']) >= order.totalWithTax;
    const moved = await this.orders.transitionToState(
      tx,
      id,
      isSettled ? 'PaymentSettled' : 'PaymentAuthorized',
    );
    return isGraphQlErrorResult(moved) ? notPlaced(moved.transitionError || moved.message) : DONE;
  }

  private async methodCode(tx: RequestContext): Promise<string | undefined> {
    const { items } = await this.methods.findAll(tx);
    return items.find(({ handler, enabled }) => enabled && handler.code === tilldPaymentHandler.code)?.code;
  }
}

/** The Vendure payment for a payment of tilld, unless it was cancelled. */
function paymentOf(order: Order, paymentId: string): Payment | undefined {
  return order.payments.find(
    ({ transactionId, state }) => transactionId === paymentId && state !== 'Cancelled' && state !== 'Error',
  );
}

/** Whether other payments than this one of tilld cover the order. */
export function isPaidBeside(order: Order, paymentId: string): boolean {
  return coveringPayment(order, paymentId) !== undefined;
}

/** A payment that already covers the order. */
function coveringPayment(order: Order, besides?: string): Payment | undefined {
  const live = order.payments.filter(
    ({ state, transactionId }) =>
      (state === 'Settled' || state === 'Authorized') && transactionId !== besides,
  );
  const sum = live.reduce((total, { amount }) => total + amount, 0);
  return sum > 0 && sum >= order.totalWithTax ? live[0] : undefined;
}

function notPlaced(reason: string): Outcome {
  return { kind: 'not_placed', facts: { reason } };
}
