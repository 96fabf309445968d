import { Inject, Injectable } from '@nestjs/common';
import { shopState, TilldError, type Payment, type Tilld } from '@tilld/sdk';
import { hasMoney } from '@tilld/sdk/shop';
import { Logger, Order, RequestContext, TransactionalConnection } from '@vendure/core';
import { LOG, TilldConnectionService } from './connection.service';
import { textId, TilldPayment } from './entities';
import { getLatestPayment } from './lead';
import { say } from './messages';
import { TILLD_OPTIONS, type TilldPluginOptions } from './options';

/** An order in one of these states is not placed as paid: its money would be lost with it. */
const UNPLACED: readonly string[] = [
  'Draft',
  'AddingItems',
  'ArrangingPayment',
  'ArrangingAdditionalPayment',
  'PaymentAuthorized',
];

/** Prevents the cancellation of orders that may have money: reads their payments from tilld first. */
@Injectable()
export class TilldCancelGuard {
  constructor(
    @Inject(TILLD_OPTIONS) private readonly options: TilldPluginOptions,
    private readonly db: TransactionalConnection,
    private readonly connections: TilldConnectionService,
  ) {}

  /**
   * Cancels the open payments of an order in tilld.
   * @returns null if the order may be cancelled, else the message for the shopkeeper
   */
  async refusalFor(ctx: RequestContext, order: Order): Promise<string | null> {
    const rows = await this.db.getRepository(ctx, TilldPayment).findBy({ orderId: textId(order.id) });
    for (const row of rows) {
      const connection = await this.connections.find(row.channelId);
      if (connection === null) return say(this.options.language, 'cannot_ask');
      try {
        if (await this.hasMoney(this.connections.client(connection), row, order)) {
          return say(this.options.language, 'cannot_cancel', { payment: row.paymentId });
        }
      } catch (error) {
        Logger.warn(`order ${row.orderId} is not cancelled: ${String(error)}`, LOG);
        return say(this.options.language, 'cannot_ask');
      }
    }
    return null;
  }

  /** The message for a shopper who changes an order with money; null if it had none in the last state read. */
  async changeRefusalFor(ctx: RequestContext, order: Order): Promise<string | null> {
    const rows = await this.db.getRepository(ctx, TilldPayment).findBy({ orderId: textId(order.id) });
    return rows.some(({ state }) => hasMoney(state)) ? say(this.options.language, 'cart_closed') : null;
  }

  /** Whether a payment has money, received or in flight, that the order does not have. Cancels an unpaid one. */
  private async hasMoney(till: Tilld, row: TilldPayment, order: Order): Promise<boolean> {
    const before = await getLatestPayment(till, row.paymentId);
    if (shopState(before) !== 'waiting') return this.isMoney(before, order);
    try {
      await till.payments.cancel({ paymentId: before.id });
      return false;
    } catch (error) {
      if (!(error instanceof TilldError) || error.code !== 'INVALID_STATE') throw error;
      return this.isMoney(await getLatestPayment(till, before.id), order);
    }
  }

  private isMoney(payment: Payment, order: Order): boolean {
    const state = shopState(payment);
    if (state === 'lost' || state === 'refunded') return false;
    if (payment.sandbox && this.options.allowSandbox !== true) return false;
    // The money of a placed order is handled by Vendure's payments and refunds.
    return state !== 'paid' || UNPLACED.includes(order.state);
  }
}
