import { Inject, Injectable } from '@nestjs/common';
import { shopState, TilldError, type Payment, type Tilld } from '@tilld/sdk';
import { hasMoney } from '@tilld/sdk/shop';
import {
  ActiveOrderService,
  ConfigService,
  ID,
  Logger,
  Order,
  OrderService,
  PaymentMethodService,
  RequestContext,
  TransactionalConnection,
} from '@vendure/core';
import { isForTotal, paymentLines, formatPrice } from './amounts';
import { LOG, TilldConnectionService } from './connection.service';
import { textId, TilldPayment } from './entities';
import { tilldPaymentHandler } from './handler';
import { getLatestPayment } from './lead';
import { isOfStorefront, TILLD_OPTIONS, type TilldPluginOptions } from './options';
import { TilldSyncService } from './sync.service';
import { TilldWayBackService } from './way-back.service';

export interface CheckoutInput {
  readonly successUrl?: string | null;
  readonly returnUrl?: string | null;
}

export interface Checkout {
  readonly paymentId: string;
  readonly checkoutUrl: string;
  readonly returnUrl: string;
}

/** The reason why no payment could be started. */
export class CheckoutProblem extends Error {
  constructor(
    readonly errorCode: 'NO_ORDER' | 'NOT_READY' | 'NOT_CONNECTED' | 'MONEY_SEEN' | 'UNAVAILABLE',
    message: string,
    /** Where the customer is redirected instead. */
    readonly returnUrl: string | null = null,
  ) {
    super(message);
  }
}

const UNDER_WAY = 'Money for this order is under way already: wait for it';

/** Starts the payment of the active order, or returns the existing one. */
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
    private readonly wayBack: TilldWayBackService,
  ) {}

  /**
   * Moves the active order to ArrangingPayment and creates its payment in tilld.
   * @throws {CheckoutProblem}
   */
  async begin(ctx: RequestContext, input: CheckoutInput): Promise<Checkout> {
    const order = await this.readyOrder(ctx);
    const connection = await this.connections.find(ctx.channelId);
    if (connection === null)
      throw new CheckoutProblem('NOT_CONNECTED', 'This shop is not connected with tilld');
    const till = this.connections.client(connection);
    const returnUrl = this.wayBack.address(ctx.channelId, order.id);
    try {
      const payment = await this.paymentFor(ctx, till, order);
      await this.remember(ctx, order, payment, input);
      await this.refuseWithMoney(ctx, order, payment);
      return { paymentId: payment.id, checkoutUrl: payment.checkoutUrl, returnUrl };
    } catch (error) {
      if (error instanceof CheckoutProblem && error.errorCode === 'MONEY_SEEN')
        throw new CheckoutProblem('MONEY_SEEN', error.message, returnUrl);
      if (error instanceof RangeError) throw new CheckoutProblem('NOT_READY', error.message);
      if (!(error instanceof TilldError)) throw error;
      Logger.error(`order ${order.code}: tilld makes no payment: ${error.code} ${error.message}`, LOG);
      throw new CheckoutProblem('UNAVAILABLE', 'Payment by coins is not available at the moment');
    }
  }

  /** Closes the new payment again if an earlier one received money in the meantime. */
  private async refuseWithMoney(ctx: RequestContext, order: Order, made: Payment): Promise<void> {
    const rows = await this.db.getRepository(ctx, TilldPayment).findBy({ orderId: textId(order.id) });
    const paid = rows.find(({ state, paymentId }) => hasMoney(state) && paymentId !== made.id);
    if (paid === undefined) return;
    await this.sync.payment(paid.paymentId, paid.channelId);
    throw new CheckoutProblem('MONEY_SEEN', UNDER_WAY);
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

  /** The existing payment, updated to the order, or a new one. None if another payment of the order has money. */
  private async paymentFor(ctx: RequestContext, till: Tilld, order: Order): Promise<Payment> {
    const known = await this.db
      .getRepository(ctx, TilldPayment)
      .find({ where: { orderId: textId(order.id) }, order: { createdAt: 'DESC', id: 'DESC' } });
    let open: Payment | null = null;
    for (const row of known) {
      const payment = await getLatestPayment(till, row.paymentId);
      const state = shopState(payment);
      if (hasMoney(state)) {
        await this.sync.payment(payment.id, row.channelId);
        const isDue = state === 'seen' || state === 'short';
        if (isDue && isForTotal(payment, order, this.precision)) return payment;
        throw new CheckoutProblem('MONEY_SEEN', state === 'paid' ? 'This order was paid already' : UNDER_WAY);
      }
      if (state === 'waiting') open ??= payment;
    }
    if (open !== null) return this.upToDate(till, order, open, ctx.channelId);
    const key = `vendure-${order.code}-${order.totalWithTax}-${known.length}`;
    return this.create(till, order, key, ctx);
  }

  private async create(
    till: Tilld,
    order: Order,
    idempotencyKey: string,
    ctx: RequestContext,
  ): Promise<Payment> {
    const email = order.customer?.emailAddress;
    const body = {
      ...this.terms(order, ctx.channelId),
      orderId: order.code,
      orderLabel: order.code,
      customer: email === undefined ? {} : { email },
      locale: ctx.languageCode.replace('_', '-'),
      metadata: { vendureOrderId: textId(order.id), vendureChannelId: textId(ctx.channelId) },
    };
    try {
      // A restricted key receives the complete payment.
      return (await till.payments.create(body, { idempotencyKey })) as Payment;
    } catch (error) {
      // Created by a request whose response was lost.
      const existing =
        error instanceof TilldError && error.code === 'DUPLICATE_ENTRY' ? existingId(error) : null;
      if (existing === null) throw error;
      const payment = await till.payments.get({ paymentId: existing });
      if (shopState(payment) !== 'waiting') return payment;
      return till.payments.update({ paymentId: existing, ...this.terms(order, ctx.channelId) });
    }
  }

  private async upToDate(till: Tilld, order: Order, payment: Payment, channelId: ID): Promise<Payment> {
    if (isForTotal(payment, order, this.precision)) return payment;
    try {
      return await till.payments.update({ paymentId: payment.id, ...this.terms(order, channelId) });
    } catch (error) {
      if (!(error instanceof TilldError) || error.code !== 'INVALID_STATE') throw error;
      throw new CheckoutProblem('MONEY_SEEN', UNDER_WAY);
    }
  }

  private get precision(): number {
    return this.config.entityOptions.moneyStrategy?.precision ?? 2;
  }

  private terms(order: Order, channelId: ID) {
    const { precision } = this;
    const address = this.wayBack.address(channelId, order.id);
    return {
      amount: formatPrice(order.totalWithTax, precision, order.currencyCode),
      currency: order.currencyCode,
      lines: paymentLines(order, precision),
      lifetimeMinutes: this.options.lifetimeMinutes ?? 60,
      successUrl: address,
      returnUrl: address,
    };
  }

  private async remember(
    ctx: RequestContext,
    order: Order,
    payment: Payment,
    input: CheckoutInput,
  ): Promise<void> {
    const repository = this.db.getRepository(ctx, TilldPayment);
    const { id: paymentId, checkoutUrl } = payment;
    const leadsTo = { successUrl: this.own(input.successUrl), returnUrl: this.own(input.returnUrl) };
    if (await repository.existsBy({ paymentId })) {
      await repository.update({ paymentId }, leadsTo);
      return;
    }
    const filter = { orderId: textId(order.id), channelId: textId(ctx.channelId) };
    await repository.save(
      new TilldPayment({ ...filter, paymentId, checkoutUrl, state: 'waiting', ...leadsTo }),
    );
  }

  private own(url: string | null | undefined): string | null {
    if (url === null || url === undefined || url === '') return null;
    if (isOfStorefront(this.options, url)) return url;
    Logger.warn(`an address that is not of the storefront is not used: ${url.slice(0, 200)}`, LOG);
    return null;
  }
}

function existingId(error: TilldError): string | null {
  const found = error.details.find((detail) => 'existingId' in detail) as { existingId?: string } | undefined;
  return found?.existingId ?? null;
}
