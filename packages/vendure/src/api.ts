import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, ID, Order, Permission, RequestContext, TransactionalConnection } from '@vendure/core';
import type { DocumentNode } from 'graphql';
import { gql } from 'graphql-tag';
import { TilldCheckoutService, CheckoutProblem, type CheckoutInput } from './checkout.service';
import { TilldConnectionService, type Health } from './connection.service';
import { textId, TilldPayment, TilldRefund } from './entities';
import { orderPayment } from './order-payment';
import { TilldReconcileService } from './reconcile';
import { TilldRefundService } from './refund.service';
import { TilldStatusService, type OrderPaymentStatus } from './status.service';

export const shopSchema: DocumentNode = gql`
  input TilldCheckoutInput {
    "Of this order, instead of those of the plugin's options: the confirmation, and the cart or checkout"
    successUrl: String
    returnUrl: String
  }
  type TilldCheckout {
    paymentId: String!
    "Send the customer there, or open it by tilld's /pay.js"
    checkoutUrl: String!
    "Where the customer comes back to from the checkout, whatever became of it"
    returnUrl: String
  }
  type TilldCheckoutError {
    "NO_ORDER, NOT_READY, NOT_CONNECTED, MONEY_SEEN or UNAVAILABLE"
    errorCode: String!
    message: String!
    "For MONEY_SEEN: where the customer goes instead"
    returnUrl: String
  }
  "What a customer may read of the payment that an order follows"
  type TilldOrderPayment {
    paymentId: String!
    "Its page in tilld, which asks for the rest at the present rate and shows what became of the payment"
    checkoutUrl: String!
    "waiting, seen, paid, short, late, lost or refunded"
    state: String!
    amount: String
    currency: String
    "What came by now, in that currency; null while tilld cannot say"
    received: String
    expiresAt: String
  }
  extend type Order {
    tilldPayment: TilldOrderPayment
  }
  union TilldCheckoutResult = TilldCheckout | TilldCheckoutError
  extend type Mutation {
    "Begins the payment of the active order, or finds the one that is still good"
    createTilldPayment(input: TilldCheckoutInput): TilldCheckoutResult!
  }
`;

export const adminSchema: DocumentNode = gql`
  type TilldHealth {
    connected: Boolean!
    "Whether tilld takes our key"
    key: Boolean!
    "Whether our webhook endpoint is there and switched on"
    webhook: Boolean!
    "Whether tilld follows at least one chain"
    node: Boolean!
    message: String!
  }
  type TilldPaymentOfOrder {
    paymentId: String!
    checkoutUrl: String!
    "waiting, seen, paid, short, late, lost or refunded"
    state: String!
    "Whether it is the one that the order follows"
    isCurrent: Boolean!
  }
  type TilldRefundOfOrder {
    refundId: ID!
    url: String!
    status: String!
    "Whether the network fee is taken from the amount"
    deductFee: Boolean!
  }
  extend type Order {
    tilldPayments: [TilldPaymentOfOrder!]!
    tilldRefunds: [TilldRefundOfOrder!]!
  }
  extend type Query {
    tilldHealth: TilldHealth!
  }
  extend type Mutation {
    "The address on which the owner of the tilld shop agrees to connect it with this channel"
    startTilldConnect: String!
    "Asks tilld for all news now; the scheduled task does so every five minutes"
    reconcileTilld: Boolean!
    "Makes the link of a refund anew that is not being paid yet; the old one ends"
    renewTilldRefund(refundId: ID!, deductFee: Boolean! = false): TilldRefundOfOrder!
  }
`;

@Resolver()
export class TilldShopResolver {
  constructor(private readonly checkout: TilldCheckoutService) {}

  @Mutation()
  @Allow(Permission.Owner)
  async createTilldPayment(@Ctx() ctx: RequestContext, @Args('input') input: CheckoutInput | null) {
    try {
      return { __typename: 'TilldCheckout', ...(await this.checkout.begin(ctx, input ?? {})) };
    } catch (error) {
      if (!(error instanceof CheckoutProblem)) throw error;
      const { errorCode, message, returnUrl } = error;
      return { __typename: 'TilldCheckoutError', errorCode, message, returnUrl };
    }
  }
}

@Resolver('Order')
export class TilldShopOrderResolver {
  constructor(private readonly status: TilldStatusService) {}

  /** Callers that may read the order. */
  @ResolveField()
  tilldPayment(@Ctx() ctx: RequestContext, @Parent() order: Order): Promise<OrderPaymentStatus | null> {
    return this.status.ofOrder(ctx, order);
  }
}

@Resolver()
export class TilldAdminResolver {
  constructor(
    private readonly connections: TilldConnectionService,
    private readonly reconcile: TilldReconcileService,
    private readonly refunds: TilldRefundService,
  ) {}

  @Query()
  @Allow(Permission.UpdatePaymentMethod, Permission.UpdateSettings)
  tilldHealth(@Ctx() ctx: RequestContext): Promise<Health> {
    return this.connections.health(ctx.channelId);
  }

  @Mutation()
  @Allow(Permission.UpdatePaymentMethod, Permission.UpdateSettings)
  startTilldConnect(@Ctx() ctx: RequestContext): Promise<string> {
    return this.connections.startConnect(ctx.channelId, ctx.channel.code);
  }

  @Mutation()
  @Allow(Permission.UpdatePaymentMethod, Permission.UpdateSettings)
  async reconcileTilld(): Promise<boolean> {
    await this.reconcile.run();
    return true;
  }

  @Mutation()
  @Allow(Permission.UpdateOrder)
  renewTilldRefund(
    @Ctx() ctx: RequestContext,
    @Args() { refundId, deductFee }: { refundId: ID; deductFee: boolean },
  ): Promise<TilldRefund> {
    return this.refunds.renew(ctx, refundId, deductFee);
  }
}

@Resolver('Order')
export class TilldOrderResolver {
  constructor(private readonly db: TransactionalConnection) {}

  @ResolveField()
  @Allow(Permission.ReadOrder)
  async tilldPayments(
    @Ctx() ctx: RequestContext,
    @Parent() order: Order,
  ): Promise<(TilldPayment & { isCurrent: boolean })[]> {
    const where = { orderId: textId(order.id) };
    const rows = await this.db
      .getRepository(ctx, TilldPayment)
      .find({ where, order: { createdAt: 'ASC', id: 'ASC' } });
    const current = orderPayment(rows)?.id;
    return rows.map((row) => Object.assign(row, { isCurrent: row.id === current }));
  }

  /** A link lets its holder claim the money, so only administrators who may refund see it. */
  @ResolveField()
  @Allow(Permission.UpdateOrder)
  tilldRefunds(@Ctx() ctx: RequestContext, @Parent() order: Order): Promise<TilldRefund[]> {
    const where = { orderId: textId(order.id) };
    return this.db.getRepository(ctx, TilldRefund).find({ where, order: { id: 'ASC' } });
  }
}
