import { Inject, Injectable } from '@nestjs/common';
import { TilldError } from '@tilld/sdk';
import {
  ConfigService,
  EventBus,
  ID,
  Logger,
  OrderService,
  Payment,
  Refund,
  RefundEvent,
  RequestContext,
  TransactionalConnection,
} from '@vendure/core';
import { decimalOf } from './amounts';
import { LOG, TilldConnectionService } from './connection.service';
import { textId, TilldConnection, TilldPayment, TilldRefund } from './entities';
import { say } from './messages';
import { TILLD_OPTIONS, type TilldPluginOptions } from './options';

/** How many refunds one run of the job opens at most. */
const BATCH = 100;

/** Kept in place of the status of a link whose claim cannot be sent at present. */
const DELAYED = 'delayed';

function isDelayed({
  status,
  problem,
}: {
  readonly status: string;
  readonly problem: string | null;
}): boolean {
  return problem !== null && (status === 'claimed' || status === 'approved');
}

/** Refunds of Vendure as links by which the customer takes the money back. */
@Injectable()
export class TilldRefundService {
  constructor(
    @Inject(TILLD_OPTIONS) private readonly options: TilldPluginOptions,
    private readonly db: TransactionalConnection,
    private readonly connections: TilldConnectionService,
    private readonly orders: OrderService,
    private readonly config: ConfigService,
    private readonly events: EventBus,
  ) {}

  /** Opens a link for every refund from now on, after Vendure stored it. */
  listen(): void {
    this.events.ofType(RefundEvent).subscribe(({ ctx, refund }) => {
      this.open(ctx, refund.id).catch((error: unknown) => {
        Logger.error(`refund ${refund.id}: no link yet, the job tries again: ${String(error)}`, LOG);
      });
    });
  }

  /**
   * Opens the link of a refund that waits for one. The same refund never gets two: its id names the request.
   * @throws what kept it from being opened, if that may pass
   */
  async open(ctx: RequestContext, refundId: ID): Promise<void> {
    const repository = this.db.getRepository(ctx, TilldRefund);
    if (await repository.existsBy({ refundId: textId(refundId) })) return;
    const refund = await this.db.getRepository(ctx, Refund).findOneBy({ id: refundId });
    if (refund === null || refund.state !== 'Pending') return;
    const payment = await this.db
      .getRepository(ctx, Payment)
      .findOne({ where: { id: refund.paymentId }, relations: ['order'] });
    const row = await this.db
      .getRepository(ctx, TilldPayment)
      .findOneBy({ paymentId: payment?.transactionId ?? '' });
    if (payment === null || row === null) return;
    const connection = await this.connections.find(row.channelId);
    if (connection === null) throw new Error(`channel ${row.channelId} is not connected with tilld`);
    const currency = payment.order.currencyCode;
    const amount = this.decimal(refund.total);
    const facts = { amount: `${amount} ${currency}` };
    try {
      const link = await this.connections
        .client(connection)
        .refundLinks.create(
          { paymentId: row.paymentId, amount, currency, ...(refund.reason ? { reason: refund.reason } : {}) },
          { idempotencyKey: `vendure-refund-${refund.id}` },
        );
      const { id: linkId, url, status } = link;
      const kept = { refundId: textId(refund.id), paymentId: row.paymentId, orderId: row.orderId };
      await repository.save(new TilldRefund({ ...kept, linkId, url: url ?? '', status }));
      await this.note(ctx, row.orderId, say(this.options.language, 'link', { ...facts, url: url ?? '' }));
    } catch (error) {
      if (!(error instanceof TilldError) || error.retryable || error.status === 401) throw error;
      // Asking again would not help: the shopkeeper hears why, and may refund in another way.
      await this.fail(ctx, refund.id);
      const reason = error.message;
      await this.note(ctx, row.orderId, say(this.options.language, 'refund_failed', { ...facts, reason }));
    }
  }

  /** Opens what is without a link: its server died, or tilld did not answer, when the refund was made. */
  async openWaiting(ctx: RequestContext): Promise<void> {
    const waiting = await this.db
      .getRepository(ctx, Refund)
      .createQueryBuilder('refund')
      .innerJoin(Payment, 'payment', 'payment.id = refund.paymentId')
      .innerJoin(TilldPayment, 'tilld', 'tilld.paymentId = payment.transactionId')
      .leftJoin(TilldRefund, 'link', 'link.paymentId = tilld.paymentId AND link.refundId = refund.id')
      .where("refund.state = 'Pending' AND link.id IS NULL")
      .andWhere('tilld.channelId = :channelId', { channelId: textId(ctx.channelId) })
      .take(BATCH)
      .getMany();
    for (const refund of waiting) await this.open(ctx, refund.id);
  }

  /** Applies what became of the links of a payment. */
  async follow(ctx: RequestContext, connection: TilldConnection, row: TilldPayment): Promise<void> {
    const repository = this.db.getRepository(ctx, TilldRefund);
    const known = (await repository.findBy({ paymentId: row.paymentId })).filter(
      ({ status }) => status !== 'paid' && status !== 'expired' && status !== 'cancelled',
    );
    if (known.length === 0) return;
    for await (const link of this.connections
      .client(connection)
      .refundLinks.all({ paymentId: row.paymentId })) {
      const status = isDelayed(link) ? DELAYED : link.status;
      const mine = known.find((each) => each.linkId === link.id && each.status !== status);
      if (mine !== undefined) await this.settle(ctx, mine, { status, reason: link.problem ?? '' });
    }
  }

  private async settle(
    ctx: RequestContext,
    mine: TilldRefund,
    { status, reason }: { readonly status: string; readonly reason: string },
  ): Promise<void> {
    await this.db.withTransaction(ctx, async (tx) => {
      const repository = this.db.getRepository(tx, TilldRefund);
      const changed = await repository.update({ id: mine.id, status: mine.status }, { status });
      if (changed.affected !== 1) return;
      const refund = await this.db.getRepository(tx, Refund).findOneBy({ id: mine.refundId });
      const order = await this.orders.findOne(tx, mine.orderId);
      if (refund === null || order === undefined) return;
      const facts = { amount: `${this.decimal(refund.total)} ${order.currencyCode}`, status, reason };
      if (status === DELAYED)
        await this.note(tx, mine.orderId, say(this.options.language, 'refund_delayed', facts));
      // The claim was told before it was delayed.
      if (status === 'claimed' && mine.status !== DELAYED)
        await this.note(tx, mine.orderId, say(this.options.language, 'claimed', facts));
      if (status === 'paid') {
        if (refund.state === 'Pending') {
          await this.orders.settleRefund(tx, { id: refund.id, transactionId: mine.linkId });
        }
        await this.note(tx, mine.orderId, say(this.options.language, 'refund_paid', facts));
      }
      if (status === 'expired' || status === 'cancelled') {
        if (refund.state === 'Pending') await this.fail(tx, refund.id);
        await this.note(tx, mine.orderId, say(this.options.language, 'refund_ended', facts));
      }
    });
  }

  /** @throws {Error} when Vendure refuses: the next look tries again, and nothing says meanwhile that it is done */
  private async fail(ctx: RequestContext, refundId: ID): Promise<void> {
    const result = await this.orders.transitionRefundToState(ctx, refundId, 'Failed');
    if (!(result instanceof Refund)) throw new Error(`refund ${refundId} stays: ${result.transitionError}`);
  }

  private decimal(minor: number): string {
    return decimalOf(minor, this.config.entityOptions.moneyStrategy?.precision ?? 2);
  }

  private async note(ctx: RequestContext, orderId: string, note: string): Promise<void> {
    await this.orders.addNoteToOrder(ctx, { id: orderId, note, isPublic: false });
  }
}
