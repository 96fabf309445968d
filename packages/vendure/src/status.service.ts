import { Injectable } from '@nestjs/common';
import type { Payment } from '@tilld/sdk';
import { Logger, Order, RequestContext, TransactionalConnection } from '@vendure/core';
import { LOG, TilldConnectionService } from './connection.service';
import { textId, TilldPayment } from './entities';
import { orderPayment } from './order-payment';

export interface OrderPaymentStatus {
  readonly paymentId: string;
  readonly checkoutUrl: string;
  readonly state: string;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly received: string | null;
  readonly expiresAt: string | null;
}

/** States in which tilld may have news for the shop. */
const OPEN: readonly string[] = ['waiting', 'seen', 'short', 'late'];

/** The payment of an order as storefronts show it: its link, the received money, and its state. */
@Injectable()
export class TilldStatusService {
  constructor(
    private readonly db: TransactionalConnection,
    private readonly connections: TilldConnectionService,
  ) {}

  async ofOrder(ctx: RequestContext, order: Order): Promise<OrderPaymentStatus | null> {
    const rows = await this.db.getRepository(ctx, TilldPayment).findBy({ orderId: textId(order.id) });
    const row = orderPayment(rows);
    if (row === undefined) return null;
    const payment = OPEN.includes(row.state) ? await this.read(row) : null;
    const { paymentId, checkoutUrl, state } = row;
    return {
      paymentId,
      checkoutUrl,
      state,
      amount: payment?.amount ?? null,
      currency: payment?.currency ?? null,
      received: payment?.receivedFiat ?? null,
      expiresAt: payment?.expiresAt ?? null,
    };
  }

  private async read({ paymentId, channelId }: TilldPayment): Promise<Payment | null> {
    try {
      const connection = await this.connections.find(channelId);
      if (connection === null) return null;
      return await this.connections.client(connection).payments.get({ paymentId });
    } catch (error) {
      Logger.warn(`payment ${paymentId} not read; shown as it was last heard: ${String(error)}`, LOG);
      return null;
    }
  }
}
