import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, Order, Permission, RequestContext, TransactionalConnection } from '@vendure/core';
import type { DocumentNode } from 'graphql';
import { gql } from 'graphql-tag';
import { TilldCheckoutService, CheckoutProblem, type CheckoutInput } from './checkout.service';
import { TilldConnectionService, type Health } from './connection.service';
import { textId, TilldPayment, TilldRefund } from './entities';
import { TilldReconcileService } from './reconcile';

export const shopSchema: DocumentNode = gql`
  input TilldCheckoutInput {
    "Where the customer goes once it is paid, and by the link back"
    successUrl: String
    returnUrl: String
  }
  type TilldCheckout {
    paymentId: String!
    "Send the customer there, or open it by tilld's /pay.js"
    checkoutUrl: String!
  }
  type TilldCheckoutError {
    "NO_ORDER, NOT_READY, NOT_CONNECTED, MONEY_SEEN or UNAVAILABLE"
    errorCode: String!
    message: String!
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
  }
  type TilldRefundOfOrder {
    refundId: ID!
    url: String!
    status: String!
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
      return { __typename: 'TilldCheckoutError', errorCode: error.errorCode, message: error.message };
    }
  }
}

@Resolver()
export class TilldAdminResolver {
  constructor(
    private readonly connections: TilldConnectionService,
    private readonly reconcile: TilldReconcileService,
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
}

@Resolver('Order')
export class TilldOrderResolver {
  constructor(private readonly db: TransactionalConnection) {}

  @ResolveField()
  @Allow(Permission.ReadOrder)
  tilldPayments(@Ctx() ctx: RequestContext, @Parent() order: Order): Promise<TilldPayment[]> {
    const where = { orderId: textId(order.id) };
    return this.db.getRepository(ctx, TilldPayment).find({ where, order: { id: 'ASC' } });
  }

  /** Who has a link can claim the money: only those who may refund see it. */
  @ResolveField()
  @Allow(Permission.UpdateOrder)
  tilldRefunds(@Ctx() ctx: RequestContext, @Parent() order: Order): Promise<TilldRefund[]> {
    const where = { orderId: textId(order.id) };
    return this.db.getRepository(ctx, TilldRefund).find({ where, order: { id: 'ASC' } });
  }
}
