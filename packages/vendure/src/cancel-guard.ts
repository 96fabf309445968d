import { Inject, Injectable } from '@nestjs/common';
import { shopState, TilldError, type Tilld } from '@tilld/sdk';
import { ID, Logger, RequestContext, TransactionalConnection } from '@vendure/core';
import { LOG, TilldConnectionService } from './connection.service';
import { textId, TilldPayment } from './entities';
import { say } from './messages';
import { TILLD_OPTIONS, type TilldPluginOptions } from './options';

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
  async refusalFor(ctx: RequestContext, orderId: ID): Promise<string | null> {
    const rows = await this.db.getRepository(ctx, TilldPayment).findBy({ orderId: textId(orderId) });
    for (const row of rows) {
      const connection = await this.connections.find(row.channelId);
      if (connection === null) return say(this.options.language, 'cannot_ask');
      try {
        if (await isOpenOrPaid(this.connections.client(connection), row)) {
          return say(this.options.language, 'cannot_cancel', { payment: row.paymentId });
        }
      } catch (error) {
        Logger.warn(`order ${row.orderId} is not cancelled: ${String(error)}`, LOG);
        return say(this.options.language, 'cannot_ask');
      }
    }
    return null;
  }
}

/** Whether money is there or under way. A payment that nobody has paid is cancelled by this. */
async function isOpenOrPaid(till: Tilld, row: TilldPayment): Promise<boolean> {
  const before = shopState(await till.payments.get({ paymentId: row.paymentId }));
  if (before === 'lost' || before === 'refunded') return false;
  // Already told to the order, whose own payment and refund rules apply to it from then on.
  if (before === 'paid' && row.state === 'paid') return false;
  if (before !== 'waiting') return true;
  try {
    await till.payments.cancel({ paymentId: row.paymentId });
    return false;
  } catch (error) {
    if (!(error instanceof TilldError) || error.code !== 'INVALID_STATE') throw error;
    const now = shopState(await till.payments.get({ paymentId: row.paymentId }));
    return now !== 'lost' && now !== 'refunded';
  }
}
