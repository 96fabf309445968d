import { Inject, Injectable } from '@nestjs/common';
import { TilldError, type Payment as TilldsPayment } from '@tilld/sdk';
import { isRefundDelayed } from '@tilld/sdk/shop';
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
  UserInputError,
} from '@vendure/core';
import { formatExactPrice, formatPrice } from './amounts';
import { LOG, TilldConnectionService } from './connection.service';
import { textId, TilldConnection, TilldPayment, TilldRefund } from './entities';
import { say } from './messages';
import { TILLD_OPTIONS, type TilldPluginOptions } from './options';
import { TilldReturnedService } from './returned.service';

/** Maximum number of refunds opened in one run of the job. */
const BATCH = 100;

/** Stored instead of the status of a link whose claim cannot be sent at present. */
const DELAYED = 'delayed';
/** Status of a refund whose next link is not created yet. */
const RENEWED = 'renewed';
const ENDED: readonly string[] = ['paid', 'expired', 'cancelled'];

interface Opening {
  readonly refund: Refund;
  /** The amount that the order received: all of it is refundable, even beyond the decimals of the currency. */
  readonly paid: number;
  readonly currency: string;
  readonly link: TilldRefund;
  readonly row: TilldPayment;
}

/** Whether a retry may succeed. */
function isPassing(error: TilldError): boolean {
  return error.retryable || error.status === 401;
}

/** Refunds of Vendure as links by which the customer claims the money. */
@Injectable()
export class TilldRefundService {
  constructor(
    @Inject(TILLD_OPTIONS) private readonly options: TilldPluginOptions,
    private readonly db: TransactionalConnection,
    private readonly connections: TilldConnectionService,
    private readonly orders: OrderService,
    private readonly returned: TilldReturnedService,
    private readonly config: ConfigService,
    private readonly events: EventBus,
  ) {}

  /** Subscribes to new refunds, and opens a link for each after Vendure stored it. */
  listen(): void {
    this.events.ofType(RefundEvent).subscribe(({ ctx, refund }) => {
      this.open(ctx, refund.id).catch((error: unknown) => {
        Logger.error(`refund ${refund.id}: no link yet, the job tries again: ${String(error)}`, LOG);
      });
    });
  }

  /**
   * Opens the link of a refund that has none yet. A refund never gets two, because its id is the idempotency key.
   * @throws the reason why it was not opened, if a retry may succeed
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
    const link = new TilldRefund({
      refundId: textId(refundId),
      paymentId: row.paymentId,
      orderId: row.orderId,
      attempt: 1,
      deductFee: this.options.deductRefundFee === true,
    });
    await this.openLink(ctx, {
      refund,
      paid: payment.amount,
      currency: payment.order.currencyCode,
      link,
      row,
    });
  }

  /** Creates the link in tilld; a retry of the same attempt returns the same link. */
  private async openLink(ctx: RequestContext, { refund, paid, currency, link, row }: Opening): Promise<void> {
    const connection = await this.connections.find(row.channelId);
    if (connection === null) throw new Error(`channel ${row.channelId} is not connected with tilld`);
    const facts = { amount: `${this.decimal(refund.total, currency)} ${currency}` };
    const { attempt, deductFee } = link;
    const key = attempt === 1 ? '' : `-${attempt}`;
    try {
      const amount = this.amountToReturn(refund.total, paid, currency);
      const reason = refund.reason ? { reason: refund.reason } : {};
      const made = await this.connections
        .client(connection)
        .refundLinks.create(
          { paymentId: row.paymentId, amount, currency, deductFee, ...reason },
          { idempotencyKey: `vendure-refund-${refund.id}${key}` },
        );
      Object.assign(link, { linkId: made.id, url: made.url ?? '', status: made.status });
      await this.db.getRepository(ctx, TilldRefund).save(link);
      const message = deductFee ? 'link_less_fee' : 'link';
      await this.note(ctx, row.orderId, say(this.options.language, message, { ...facts, url: link.url }));
    } catch (error) {
      const isFinal = error instanceof RangeError || (error instanceof TilldError && !isPassing(error));
      if (!isFinal) throw error;
      // A retry would not help: the shopkeeper is notified of the reason, and may refund in another way.
      await this.fail(ctx, refund.id);
      const reason = (error as Error).message;
      await this.note(ctx, row.orderId, say(this.options.language, 'refund_failed', { ...facts, reason }));
    }
  }

  /**
   * Replaces the link of a refund, because a wallet with only its amount cannot pay the network fee in addition.
   * @throws {UserInputError} for a refund that was paid or is being paid
   */
  async renew(ctx: RequestContext, refundId: ID, deductFee: boolean): Promise<TilldRefund> {
    const repository = this.db.getRepository(ctx, TilldRefund);
    const link = await repository.findOneBy({ refundId: textId(refundId) });
    if (link === null) throw new UserInputError('This refund has no link of tilld');
    const row = await this.db
      .getRepository(ctx, TilldPayment)
      .findOneBy({ paymentId: link.paymentId, channelId: textId(ctx.channelId) });
    const connection = row === null ? null : await this.connections.find(row.channelId);
    if (row === null || connection === null) throw new UserInputError('This refund has no link of tilld');
    const refund = await this.db.getRepository(ctx, Refund).findOneBy({ id: refundId });
    if (refund?.state !== 'Pending') throw new UserInputError('This refund has ended: make another one');
    const before = { ...link };
    // The end of the old link must not end the refund.
    await repository.update({ id: link.id }, { linkId: '', url: '', status: RENEWED });
    try {
      if (before.linkId !== '')
        await this.connections.client(connection).refundLinks.cancel({ linkId: before.linkId });
    } catch (error) {
      const { linkId, url, status } = before;
      await repository.update({ id: link.id }, { linkId, url, status });
      if (error instanceof TilldError && error.code === 'INVALID_STATE')
        throw new UserInputError(error.message);
      throw error;
    }
    await repository.update({ id: link.id }, { attempt: link.attempt + 1, deductFee });
    await this.openRenewed(ctx, link.id, row);
    return repository.findOneByOrFail({ id: link.id });
  }

  private async openRenewed(ctx: RequestContext, id: ID, row: TilldPayment): Promise<void> {
    const link = await this.db.getRepository(ctx, TilldRefund).findOneByOrFail({ id });
    const refund = await this.db
      .getRepository(ctx, Refund)
      .findOneOrFail({ where: { id: link.refundId }, relations: ['payment', 'payment.order'] });
    const { amount: paid, order } = refund.payment;
    await this.openLink(ctx, { refund, paid, currency: order.currencyCode, link, row });
  }

  /** Opens links that are missing, because the server crashed or tilld did not respond when the refund was created. */
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
    const channelId = textId(ctx.channelId);
    for (const link of await this.db.getRepository(ctx, TilldRefund).findBy({ status: RENEWED })) {
      const where = { paymentId: link.paymentId, channelId };
      const row = await this.db.getRepository(ctx, TilldPayment).findOneBy(where);
      if (row !== null) await this.openRenewed(ctx, link.id, row);
    }
  }

  /** Applies the state of a payment's links, and refunds that were made without the shop. */
  async follow(
    ctx: RequestContext,
    connection: TilldConnection,
    row: TilldPayment,
    payment: TilldsPayment,
  ): Promise<void> {
    const known = await this.db.getRepository(ctx, TilldRefund).findBy({ paymentId: row.paymentId });
    await this.returned.record(ctx, row, payment, known);
    const open = known.filter(({ status }) => !ENDED.includes(status));
    if (open.length === 0) return;
    const client = this.connections.client(connection);
    for await (const link of client.refundLinks.all({ paymentId: row.paymentId })) {
      const status = isRefundDelayed(link) ? DELAYED : link.status;
      const mine = open.find((each) => each.linkId === link.id && each.status !== status);
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
      const { currencyCode } = order;
      const facts = { amount: `${this.decimal(refund.total, currencyCode)} ${currencyCode}`, status, reason };
      if (status === DELAYED)
        await this.note(tx, mine.orderId, say(this.options.language, 'refund_delayed', facts));
      // The shopkeeper was notified of the claim before it was delayed.
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

  /** @throws {Error} when Vendure rejects it: retried by the next run, and until then the link counts as open */
  private async fail(ctx: RequestContext, refundId: ID): Promise<void> {
    const result = await this.orders.transitionRefundToState(ctx, refundId, 'Failed');
    if (!(result instanceof Refund)) throw new Error(`refund ${refundId} stays: ${result.transitionError}`);
  }

  /** @throws {RangeError} for an amount that the currency cannot express, unless it is the whole payment */
  private amountToReturn(total: number, paid: number, currency: string): string {
    return total === paid ? this.decimal(total, currency) : formatExactPrice(total, this.precision, currency);
  }

  private decimal(minor: number, currency: string): string {
    return formatPrice(minor, this.precision, currency);
  }

  private get precision(): number {
    return this.config.entityOptions.moneyStrategy?.precision ?? 2;
  }

  private async note(ctx: RequestContext, orderId: string, note: string): Promise<void> {
    await this.orders.addNoteToOrder(ctx, { id: orderId, note, isPublic: false });
  }
}
