import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { hasMoney } from '@tilld/sdk/shop';
import { Logger, Order, OrderService, TransactionalConnection, type ID } from '@vendure/core';
import { LOG, TilldConnectionService } from './connection.service';
import { textId, TilldPayment } from './entities';
import { orderPayment } from './order-payment';
import { TILLD_OPTIONS, type TilldPluginOptions } from './options';
import { TilldSyncService } from './sync.service';

/** 132 bits, so that references of other orders cannot be guessed. */
const MAC_LENGTH = 22;
/** Maximum number of an order's payments that are read before the customer is redirected. */
const MOST_ASKED = 5;

/**
 * The only return address of the checkout. It finds the order, reads its payment from tilld and redirects: to the
 * confirmation once money was seen, to the checkout if a remainder is due, otherwise to the cart.
 */
@Injectable()
export class TilldWayBackService {
  constructor(
    @Inject(TILLD_OPTIONS) private readonly options: TilldPluginOptions,
    private readonly db: TransactionalConnection,
    private readonly connections: TilldConnectionService,
    private readonly orders: OrderService,
    private readonly sync: TilldSyncService,
  ) {}

  address(channelId: ID, orderId: ID): string {
    const order = `${textId(channelId)}.${textId(orderId)}`;
    return `${this.options.serverUrl.replace(/\/+$/, '')}/tilld/return/${order}.${this.mac(order)}`;
  }

  /** Where the customer of an order is redirected now; null for a reference of another shop. */
  async destination(reference: string): Promise<string | null> {
    const [channelId = '', orderId = '', mac = ''] = reference.split('.');
    if (!isSame(mac, this.mac(`${channelId}.${orderId}`))) return null;
    const where = { channelId, orderId };
    const repository = this.db.rawConnection.getRepository(TilldPayment);
    const before = await repository.find({ where, order: { id: 'DESC' }, take: MOST_ASKED });
    for (const row of before) await this.ask(row);
    const row = orderPayment(await repository.findBy(where));
    if (row === undefined) return null;
    const order = await this.orderOf(row);
    return order === undefined ? null : this.destinationOf(row, order);
  }

  private destinationOf(row: TilldPayment, order: Order): string {
    const isPlaced = !order.active && order.orderPlacedAt !== undefined && order.orderPlacedAt !== null;
    if (row.state === 'short') return row.checkoutUrl;
    if (hasMoney(row.state) || row.state === 'refunded') return this.success(row, order);
    // The cart of a placed order is empty, so the remainder is paid on the checkout of its payment.
    if (isPlaced) return row.state === 'waiting' ? row.checkoutUrl : this.success(row, order);
    return filled(row.returnUrl ?? this.options.returnUrl, row, order);
  }

  private success(row: TilldPayment, order: Order): string {
    return filled(row.successUrl ?? this.options.successUrl, row, order);
  }

  /** If tilld does not respond, the last known state is used. */
  private async ask({ paymentId, channelId }: TilldPayment): Promise<void> {
    try {
      await this.sync.payment(paymentId, channelId);
    } catch (error) {
      Logger.warn(
        `payment ${paymentId} not read; its customer is led by its last state: ${String(error)}`,
        LOG,
      );
    }
  }

  private async orderOf({ channelId, orderId }: TilldPayment): Promise<Order | undefined> {
    const connection = await this.connections.find(channelId);
    if (connection === null) return undefined;
    return this.orders.findOne(await this.connections.contextOf(connection), orderId);
  }

  private mac(order: string): string {
    const key = Buffer.from(this.options.encryptionKey, 'base64');
    return createHmac('sha256', key).update(`tilld-return ${order}`).digest('base64url').slice(0, MAC_LENGTH);
  }
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function filled(url: string, { paymentId, state }: TilldPayment, { code }: Order): string {
  const values: Readonly<Record<string, string>> = { orderId: code, paymentId, status: state };
  return url.replace(/\{(orderId|paymentId|status)\}/g, (_whole, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}
