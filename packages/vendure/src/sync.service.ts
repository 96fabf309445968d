import { Inject, Injectable } from '@nestjs/common';
import { shopState, type Payment, type ShopState } from '@tilld/sdk';
import { closePayment, hasEnded, hasMoney } from '@tilld/sdk/shop';
import {
  ConfigService,
  EventBus,
  Logger,
  Order,
  OrderService,
  OrderStateTransitionEvent,
  RequestContext,
  TransactionalConnection,
} from '@vendure/core';
import { LOG, TilldConnectionService } from './connection.service';
import { countedAmount } from './amounts';
import { textId, TilldConnection, TilldPayment } from './entities';
import { say } from './messages';
import { TILLD_OPTIONS, type TilldPluginOptions } from './options';
import { isPaidBeside, TilldOrderService } from './order.service';
import { TilldRefundService } from './refund.service';

/** Two processes worked on the same payment: the later one retries. */
class Overtaken extends Error {}
const TRIES = 5;
/** States of orders that are paid, at least according to their payment method. */
const PAID: readonly string[] = ['PaymentAuthorized', 'PaymentSettled'];

/** Updates orders to the state of their payments in tilld. */
@Injectable()
export class TilldSyncService {
  /** One at a time for each payment in this process; `revision` detects other processes. */
  private readonly running = new Map<string, Promise<unknown>>();

  constructor(
    @Inject(TILLD_OPTIONS) private readonly options: TilldPluginOptions,
    private readonly db: TransactionalConnection,
    private readonly connections: TilldConnectionService,
    private readonly orders: OrderService,
    private readonly placing: TilldOrderService,
    private readonly refunds: TilldRefundService,
    private readonly config: ConfigService,
    private readonly events: EventBus,
  ) {}

  listen(): void {
    this.events.ofType(OrderStateTransitionEvent).subscribe(({ toState, order }) => {
      if (!PAID.includes(toState)) return;
      this.closeWaiting(order).catch((error: unknown) => {
        Logger.error(
          `order ${order.code} may still be paid in tilld, the job tries again: ${String(error)}`,
          LOG,
        );
      });
    });
  }

  /** Marks the payment first: if tilld does not respond now, the job applies it. */
  private async closeWaiting(order: Order): Promise<void> {
    const repository = this.db.rawConnection.getRepository(TilldPayment);
    const where = { orderId: textId(order.id), state: 'waiting' };
    const rows = await repository.findBy(where);
    if (rows.length === 0) return;
    await repository.update(where, { isBehind: true });
    for (const { paymentId, channelId } of rows) await this.payment(paymentId, channelId);
  }

  /**
   * Reads a payment from tilld and applies its state. A payment without an order in this channel is ignored.
   * @throws the reason why it was not applied; the caller must retry
   */
  async payment(paymentId: string, channelId: string): Promise<void> {
    const before = this.running.get(paymentId) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(() => this.fetchAndApply(paymentId, channelId));
    this.running.set(paymentId, mine);
    try {
      await mine;
    } finally {
      if (this.running.get(paymentId) === mine) this.running.delete(paymentId);
    }
  }

  private async fetchAndApply(paymentId: string, channelId: string): Promise<void> {
    const connection = await this.connections.find(channelId);
    if (connection === null) throw new Error(`channel ${channelId} is not connected with tilld`);
    const ctx = await this.connections.contextOf(connection);
    for (let attempt = 1; ; attempt += 1) {
      // Read before the request to tilld, so that an older state than another process applied is not stored.
      const row = await this.rowOf(paymentId);
      const payment = await this.connections.client(connection).payments.get({ paymentId });
      const mine = row ?? (await this.adopt(ctx, connection, payment));
      if (mine === null || mine.channelId !== connection.channelId) return;
      try {
        const isWorth = !payment.sandbox || this.options.allowSandbox === true;
        const state = shopState(payment);
        // Before the order is marked as paid, so that no other payment stays open once it has money.
        if (isWorth && hasMoney(state)) await this.closeOthers(connection, mine);
        await this.closeIfPaidOtherwise(ctx, connection, mine, payment);
        await this.apply(ctx, mine, payment);
        if (isWorth && !hasMoney(state) && hasMoney(mine.state)) await this.replace(mine);
        await this.refunds.follow(ctx, connection, mine, payment);
        // The state of the order follows the payment that has its money now.
        if (payment.supersededBy !== undefined) await this.payment(payment.supersededBy, channelId);
        return;
      } catch (error) {
        if (!(error instanceof Overtaken) || attempt >= TRIES) throw error;
      }
    }
  }

  /** An order that another payment covers must not be paid again here. */
  private async closeIfPaidOtherwise(
    ctx: RequestContext,
    connection: TilldConnection,
    { orderId }: TilldPayment,
    payment: Payment,
  ): Promise<void> {
    if (shopState(payment) !== 'waiting') return;
    const order = await this.orders.findOne(ctx, orderId, ['payments', 'lines']);
    if (order === undefined || !isPaidBeside(order, payment.id)) return;
    if (await closePayment(this.connections.client(connection), payment.id))
      Logger.info(`payment ${payment.id} closed: order ${order.code} was paid by another method`, LOG);
  }

  /** The payment that has the order's money becomes the order's payment; pending ones are closed. */
  private async closeOthers(connection: TilldConnection, mine: TilldPayment): Promise<void> {
    const till = this.connections.client(connection);
    for (const { paymentId, state } of await this.othersOf(mine)) {
      if (hasEnded(state)) continue;
      if (await closePayment(till, paymentId))
        Logger.info(`payment ${paymentId} closed: its order has money`, LOG);
    }
  }

  /** The money of a payment is gone: another payment of the order that has money replaces it. */
  private async replace(mine: TilldPayment): Promise<void> {
    const repository = this.db.rawConnection.getRepository(TilldPayment);
    for (const other of await this.othersOf(mine)) {
      if (!hasMoney(other.state)) continue;
      await repository.update({ id: other.id }, { isBehind: true });
      await this.applyAgain(other);
    }
  }

  private async othersOf({ id, orderId, channelId }: TilldPayment): Promise<TilldPayment[]> {
    const rows = await this.db.rawConnection.getRepository(TilldPayment).findBy({ orderId, channelId });
    return rows.filter((row) => row.id !== id);
  }

  /** A process that applies that payment at the same time may wait for this one: the job retries a failure. */
  private async applyAgain({ paymentId, channelId }: TilldPayment): Promise<void> {
    if (this.running.has(paymentId)) return;
    await this.payment(paymentId, channelId);
  }

  private async rowOf(paymentId: string): Promise<TilldPayment | null> {
    return this.db.rawConnection.getRepository(TilldPayment).findOneBy({ paymentId });
  }

  /** A payment that this server created but did not store before it crashed: its metadata names the order. */
  private async adopt(
    ctx: RequestContext,
    connection: TilldConnection,
    payment: Payment,
  ): Promise<TilldPayment | null> {
    const { vendureOrderId, vendureChannelId } = (payment.metadata ?? {}) as Record<string, unknown>;
    if (vendureChannelId !== connection.channelId || typeof vendureOrderId !== 'string') return null;
    const order = await this.orders.findOne(ctx, vendureOrderId);
    if (order === undefined || order.code !== payment.orderId) return null;
    const { id: paymentId, checkoutUrl } = payment;
    const filter = { orderId: textId(order.id), channelId: connection.channelId };
    const row = new TilldPayment({ ...filter, paymentId, checkoutUrl, state: 'waiting' });
    return this.db.getRepository(ctx, TilldPayment).save(row);
  }

  /** Updates the row, the payments of the order and its notes in one transaction. */
  private async apply(ctx: RequestContext, row: TilldPayment, payment: Payment): Promise<void> {
    const state = shopState(payment);
    if (row.state === state && !row.isBehind) return;
    await this.db.withTransaction(ctx, async (tx) => {
      const repository = this.db.getRepository(tx, TilldPayment);
      const guard = { id: row.id, revision: row.revision };
      const changed = await repository.update(guard, { revision: row.revision + 1, state, isBehind: false });
      if (changed.affected !== 1) throw new Overtaken();
      const order = await this.orders.findOne(tx, row.orderId, ['payments', 'lines']);
      if (order === undefined) return;
      const problem = await this.applyTo(tx, order, row, payment, state);
      if (problem !== null) await repository.update({ id: row.id }, { isBehind: true });
    });
  }

  /** @returns the reason why the order is not up to date yet; null if it is */
  private async applyTo(
    tx: RequestContext,
    order: Order,
    row: TilldPayment,
    payment: Payment,
    state: ShopState,
  ): Promise<string | null> {
    const facts = { payment: payment.id, coins: coinsOf(payment), status: payment.status };
    const note = (message: Parameters<typeof say>[1], more: Record<string, string> = {}): Promise<void> =>
      this.note(tx, order, say(this.options.language, message, { ...facts, ...more }));
    const wasThere = row.state === 'seen' || row.state === 'paid';
    switch (state) {
      case 'waiting':
      case 'lost':
        if (wasThere) await note('reversed');
        else if (state === 'lost') await note('lost');
        await this.placing.takeBack(tx, order, payment.id);
        return null;
      case 'superseded':
        await note('superseded');
        await this.placing.takeBack(tx, order, payment.id);
        return null;
      case 'short':
      case 'late':
        if (row.state !== state) await note(state);
        if (wasThere) await this.placing.takeBack(tx, order, payment.id);
        return null;
      case 'refunded':
        await note('refunded');
        return null;
      case 'seen':
      case 'paid':
        return this.applyMoney(tx, order, row, payment, state);
    }
  }

  private async applyMoney(
    tx: RequestContext,
    order: Order,
    row: TilldPayment,
    payment: Payment,
    state: 'seen' | 'paid',
  ): Promise<string | null> {
    const facts = { payment: payment.id, coins: coinsOf(payment), status: payment.status };
    const language = this.options.language;
    if (row.state !== state) {
      await this.note(tx, order, say(language, state, facts));
      if (state === 'paid' && payment.exception === 'overpaid') {
        await this.note(tx, order, say(language, 'over', facts));
      }
    }
    if (payment.sandbox && this.options.allowSandbox !== true) {
      if (row.state !== state) await this.note(tx, order, say(language, 'sandbox', facts));
      return null;
    }
    if (state === 'seen' && this.options.placeOrderWhenSeen !== true) return null;
    const amount = countedAmount(payment, order, this.config.entityOptions.moneyStrategy?.precision ?? 2);
    const outcome = await this.placing.pay(tx, order, {
      paymentId: payment.id,
      amount,
      isFinal: state === 'paid',
    });
    if (outcome.kind === 'done') return null;
    // Noted once; the job retries temporary failures.
    if (!row.isBehind)
      await this.note(tx, order, say(language, outcome.kind, { ...facts, ...outcome.facts }));
    return outcome.kind === 'not_placed' ? outcome.kind : null;
  }

  private async note(tx: RequestContext, order: Order, note: string): Promise<void> {
    Logger.info(`order ${order.code}: ${note}`, LOG);
    await this.orders.addNoteToOrder(tx, { id: order.id, note, isPublic: false });
  }
}

/** `0.001 BTC, 0.5 LTC`: the amounts received so far. */
function coinsOf(payment: Payment): string {
  const parts = Object.entries(payment.options).flatMap(([coin, option]) =>
    option === undefined || Number(option.received) === 0 ? [] : [`${option.received} ${coin}`],
  );
  return parts.join(', ') || '-';
}
