import { Inject, Injectable } from '@nestjs/common';
import type { Payment as TilldsPayment } from '@tilld/sdk';
import { unrecordedRefunds } from '@tilld/sdk/shop';
import { ConfigService, OrderService, Refund, RequestContext, TransactionalConnection } from '@vendure/core';
import { parseDecimal } from './amounts';
import { textId, TilldPayment, TilldRefund } from './entities';
import { say } from './messages';
import { TILLD_OPTIONS, type TilldPluginOptions } from './options';

/** Refunds that the owner makes in tilld, without the shop. */
@Injectable()
export class TilldReturnedService {
  constructor(
    @Inject(TILLD_OPTIONS) private readonly options: TilldPluginOptions,
    private readonly db: TransactionalConnection,
    private readonly orders: OrderService,
    private readonly config: ConfigService,
  ) {}

  /** Records the owner's refunds in tilld as settled refunds of Vendure, so that they are not made twice. */
  async record(
    ctx: RequestContext,
    row: TilldPayment,
    payment: TilldsPayment,
    known: readonly TilldRefund[],
  ): Promise<void> {
    const { currency } = payment;
    const precision = this.config.entityOptions.moneyStrategy?.precision ?? 2;
    const recorded = new Set(known.map(({ linkId }) => linkId));
    for (const { sendId, amount } of unrecordedRefunds(payment, payment.amount, recorded)) {
      const facts = { amount: `${amount} ${currency}` };
      await this.db.withTransaction(ctx, async (tx) => {
        const refund = await this.settle(tx, row, parseDecimal(amount, precision), sendId);
        if (refund === null) return;
        const note = say(this.options.language, 'returned_elsewhere', facts);
        await this.orders.addNoteToOrder(tx, { id: row.orderId, note, isPublic: false });
      });
    }
  }

  /** @returns null for money that is not paid, or already refunded, according to Vendure */
  private async settle(
    tx: RequestContext,
    { paymentId, orderId }: TilldPayment,
    amount: number,
    sendId: string,
  ): Promise<Refund | null> {
    const payments = await this.orders.getOrderPayments(tx, orderId);
    const paid = payments.find(
      ({ transactionId, state }) => transactionId === paymentId && state === 'Settled',
    );
    const refunded = (paid?.refunds ?? [])
      .filter(({ state }) => state !== 'Failed')
      .reduce((sum, { total }) => sum + total, 0);
    if (paid === undefined || paid.amount <= refunded) return null;
    const nothing = { lines: [], shipping: 0, adjustment: 0 };
    const most = Math.min(amount, paid.amount - refunded);
    const input = { paymentId: paid.id, amount: most, ...nothing, reason: 'tilld' };
    const refund = await this.orders.refundOrder(tx, input);
    if (!(refund instanceof Refund)) throw new Error(`refund by ${sendId} not recorded: ${refund.message}`);
    const end = { linkId: sendId, url: '', status: 'paid', attempt: 1, deductFee: false };
    await this.db
      .getRepository(tx, TilldRefund)
      .save(new TilldRefund({ refundId: textId(refund.id), paymentId, orderId, ...end }));
    await this.orders.settleRefund(tx, { id: refund.id, transactionId: sendId });
    return refund;
  }
}
