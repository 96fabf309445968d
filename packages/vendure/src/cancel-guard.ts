import { Inject, Injectable } from '@nestjs/common';
import { shopState, TilldError, type Payment, type Tilld } from '@tilld/sdk';
import { hasMoney } from '@tilld/sdk/shop';
import { Logger, Order, RequestContext, TransactionalConnection } from '@vendure/core';
import { LOG, TilldConnectionService } from './connection.service';
import { textId, TilldPayment } from './entities';
import { getLatestPayment } from './lead';
import { say } from './messages';
import { TILLD_OPTIONS, type TilldPluginOptions } from './options';

/** An order in one of these is not placed as paid: money for it would be forgotten with it. */
const UNPLACED: readonly string[] = [
  'Draft',
  'AddingItems',
  'ArrangingPayment',
  'ArrangingAdditionalPayment',
  'PaymentAuthorized',
];

/** Keeps orders from being cancelled while money may be there for them: tilld is asked first. */
@Injectable()
export class TilldCancelGuard {
  constructor(
    @Inject(TILLD_OPTIONS) private readonly options: TilldPluginOptions,
    private readonly db: TransactionalConnection,
    private readonly connections: TilldConnectionService,
  ) {}

  /**
   * Cancels what is open in tilld for an order.
   * @returns null when nothing speaks against giving the order up, else what to tell the shopkeeper
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

  /** What to tell a shopper who changes an order that has money; null for one without, as far as tilld was heard. */
  async changeRefusalFor(ctx: RequestContext, order: Order): Promise<string | null> {
    const rows = await this.db.getRepository(ctx, TilldPayment).findBy({ orderId: textId(order.id) });
    return rows.some(({ state }) => hasMoney(state)) ? say(this.options.language, 'cart_closed') : null;
  }

  /** Whether money is there or under way that the order does not have. What nobody has paid is cancelled by this. */
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
    // Of a placed order Vendure's own payment and refund take care.
    return state !== 'paid' || UNPLACED.includes(order.state);
  }
}
