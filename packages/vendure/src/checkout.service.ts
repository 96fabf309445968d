import { Inject, Injectable } from '@nestjs/common';
import { shopState, TilldError, type Payment, type Tilld } from '@tilld/sdk';
import {
  ActiveOrderService,
  ConfigService,
  Logger,
  Order,
  OrderService,
  PaymentMethodService,
  RequestContext,
  TransactionalConnection,
} from '@vendure/core';
import { decimalOf, linesOf, minorOf } from './amounts';
import { LOG, TilldConnectionService } from './connection.service';
import { textId, TilldPayment } from './entities';
import { tilldPaymentHandler } from './handler';
import { leadOf } from './lead';
import { TILLD_OPTIONS, type TilldPluginOptions } from './options';
import { TilldSyncService } from './sync.service';

export interface CheckoutInput {
  readonly successUrl?: string | null;
  readonly returnUrl?: string | null;
}

export interface Checkout {
  readonly paymentId: string;
  readonly checkoutUrl: string;
}

/** Why no payment could be begun. */
export class CheckoutProblem extends Error {
  constructor(
    readonly errorCode: 'NO_ORDER' | 'NOT_READY' | 'NOT_CONNECTED' | 'MONEY_SEEN' | 'UNAVAILABLE',
    message: string,
  ) {
    super(message);
  }
}

/** Begins the payment of the active order, or finds the one that is still good. */
@Injectable()
export class TilldCheckoutService {
  constructor(
    @Inject(TILLD_OPTIONS) private readonly options: TilldPluginOptions,
    private readonly db: TransactionalConnection,
    private readonly connections: TilldConnectionService,
    private readonly activeOrders: ActiveOrderService,
    private readonly orders: OrderService,
    private readonly methods: PaymentMethodService,
    private readonly config: ConfigService,
    private readonly sync: TilldSyncService,
  ) {}

  /**
   * Moves the active order to ArrangingPayment and asks tilld for its total.
   * @throws {CheckoutProblem}
   */
  async begin(ctx: RequestContext, input: CheckoutInput): Promise<Checkout> {
    const order = await this.readyOrder(ctx);
    const connection = await this.connections.find(ctx.channelId);
    if (connection === null)
      throw new CheckoutProblem('NOT_CONNECTED', 'This shop is not connected with tilld');
    const till = this.connections.client(connection);
    try {
      const payment = await this.paymentFor(ctx, till, order, input);
      await this.remember(ctx, order, payment);
      return { paymentId: payment.id, checkoutUrl: payment.checkoutUrl };
    } catch (error) {
      if (!(error instanceof TilldError)) throw error;
      Logger.error(`order ${order.code}: tilld makes no payment: ${error.code} ${error.message}`, LOG);
      throw new CheckoutProblem('UNAVAILABLE', 'Payment by coins is not available at the moment');
    }
  }

  private async readyOrder(ctx: RequestContext): Promise<Order> {
    const active = await this.activeOrders.getActiveOrder(ctx, undefined);
    if (active === undefined) throw new CheckoutProblem('NO_ORDER', 'There is no active order');
    const methods = await this.methods.getEligiblePaymentMethods(ctx, active);
    const codes = await this.tilldMethodCodes(ctx);
    if (!methods.some(({ code, isEligible }) => isEligible && codes.includes(code))) {
      throw new CheckoutProblem('NOT_READY', 'Payment by tilld is not offered for this order');
    }
    if (active.state !== 'ArrangingPayment') {
      const moved = await this.db.withTransaction(ctx, (tx) =>
        this.orders.transitionToState(tx, active.id, 'ArrangingPayment'),
      );
      if (!(moved instanceof Order))
        throw new CheckoutProblem('NOT_READY', moved.transitionError || moved.message);
    }
    const order = await this.orders.findOne(ctx, active.id, [
      'lines',
      'lines.productVariant',
      'customer',
      'payments',
      'surcharges',
      'shippingLines',
    ]);
    if (order === undefined) throw new CheckoutProblem('NO_ORDER', 'There is no active order');
    return order;
  }

  private async tilldMethodCodes(ctx: RequestContext): Promise<string[]> {
    const { items } = await this.methods.findAll(ctx, { filter: { enabled: { eq: true } } });
    return items.filter(({ handler }) => handler.code === tilldPaymentHandler.code).map(({ code }) => code);
  }

  /** The payment that is still good, changed where the order changed, or a new one. */
  private async paymentFor(
    ctx: RequestContext,
    till: Tilld,
    order: Order,
    input: CheckoutInput,
  ): Promise<Payment> {
    const known = await this.db
      .getRepository(ctx, TilldPayment)
      .find({ where: { orderId: textId(order.id) }, order: { id: 'DESC' } });
    for (const row of known) {
      const payment = await leadOf(till, row.paymentId);
      const state = shopState(payment);
      if (state === 'lost' || state === 'refunded') continue;
      if (state === 'waiting') return this.upToDate(till, order, payment, input);
      if (state === 'seen' || state === 'short') {
        if (this.asksFor(payment, order)) return payment;
        throw new CheckoutProblem('MONEY_SEEN', 'Money for this order is under way already: wait for it');
      }
      await this.sync.payment(payment.id, row.channelId);
      throw new CheckoutProblem('MONEY_SEEN', 'This order was paid already');
    }
    const key = `vendure-${order.code}-${order.totalWithTax}-${known.length}`;
    return this.create(till, order, input, key, ctx);
  }

  private async create(
    till: Tilld,
    order: Order,
    input: CheckoutInput,
    idempotencyKey: string,
    ctx: RequestContext,
  ): Promise<Payment> {
    const email = order.customer?.emailAddress;
    const body = {
      ...this.terms(order, input),
      orderId: order.code,
      customer: email === undefined ? {} : { email },
      locale: ctx.languageCode.replace('_', '-'),
      metadata: { vendureOrderId: textId(order.id), vendureChannelId: textId(ctx.channelId) },
    };
    try {
      // A restricted key is answered the payment in full.
      return (await till.payments.create(body, { idempotencyKey })) as Payment;
    } catch (error) {
      // Made by a request whose answer was lost.
      const existing =
        error instanceof TilldError && error.code === 'DUPLICATE_ENTRY' ? existingId(error) : null;
      if (existing === null) throw error;
      const payment = await till.payments.get({ paymentId: existing });
      if (shopState(payment) !== 'waiting') return payment;
      return till.payments.update({ paymentId: existing, ...this.terms(order, input) });
    }
  }

  private async upToDate(
    till: Tilld,
    order: Order,
    payment: Payment,
    input: CheckoutInput,
  ): Promise<Payment> {
    if (this.asksFor(payment, order)) return payment;
    try {
      return await till.payments.update({ paymentId: payment.id, ...this.terms(order, input) });
    } catch (error) {
      if (!(error instanceof TilldError) || error.code !== 'INVALID_STATE') throw error;
      throw new CheckoutProblem('MONEY_SEEN', 'Money for this order is under way already: wait for it');
    }
  }

  private asksFor(payment: Payment, order: Order): boolean {
    const isSame = minorOf(payment.amount, this.precision) === order.totalWithTax;
    return isSame && payment.currency === order.currencyCode;
  }

  private get precision(): number {
    return this.config.entityOptions.moneyStrategy?.precision ?? 2;
  }

  private terms(order: Order, input: CheckoutInput) {
    const { precision } = this;
    return {
      amount: decimalOf(order.totalWithTax, precision),
      currency: order.currencyCode,
      lines: linesOf(order, precision),
      lifetimeMinutes: this.options.lifetimeMinutes ?? 60,
      ...(input.successUrl ? { successUrl: input.successUrl } : {}),
      ...(input.returnUrl ? { returnUrl: input.returnUrl } : {}),
    };
  }

  private async remember(ctx: RequestContext, order: Order, payment: Payment): Promise<void> {
    const repository = this.db.getRepository(ctx, TilldPayment);
    if (await repository.existsBy({ paymentId: payment.id })) return;
    const whose = { orderId: textId(order.id), channelId: textId(ctx.channelId) };
    const { id: paymentId, checkoutUrl } = payment;
    await repository.save(new TilldPayment({ ...whose, paymentId, checkoutUrl, state: 'waiting' }));
  }
}

function existingId(error: TilldError): string | null {
  const found = error.details.find((detail) => 'existingId' in detail) as { existingId?: string } | undefined;
  return found?.existingId ?? null;
}
