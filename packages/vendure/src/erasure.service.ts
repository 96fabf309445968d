import { Injectable } from '@nestjs/common';
import {
  CustomerEvent,
  EventBus,
  ID,
  Logger,
  Order,
  RequestContext,
  TransactionalConnection,
} from '@vendure/core';
import { In } from 'typeorm';
import { LOG, TilldConnectionService } from './connection.service';
import { textId, TilldConnection, TilldPayment } from './entities';

/** Maximum number of customers erased in one run. */
const BATCH = 100;

/** When the shop deletes a customer, erases email address and metadata in tilld too. Accounting records are kept. */
@Injectable()
export class TilldErasureService {
  constructor(
    private readonly db: TransactionalConnection,
    private readonly connections: TilldConnectionService,
    private readonly events: EventBus,
  ) {}

  listen(): void {
    this.events.ofType(CustomerEvent).subscribe(({ ctx, entity, type }) => {
      if (type !== 'deleted') return;
      this.erase(ctx, entity.id).catch((error: unknown) => {
        Logger.error(
          `customer ${entity.id} not erased in tilld yet; the job tries again: ${String(error)}`,
          LOG,
        );
      });
    });
  }

  /** Marks the customer first: if tilld does not respond now, the job erases it. */
  private async erase(ctx: RequestContext, customerId: ID): Promise<void> {
    const orders = await this.db
      .getRepository(ctx, Order)
      .find({ where: { customer: { id: customerId } }, select: { id: true }, withDeleted: true });
    if (orders.length === 0) return;
    const repository = this.db.rawConnection.getRepository(TilldPayment);
    const where = { orderId: In(orders.map(({ id }) => textId(id))) };
    await repository.update(where, { isToErase: true });
    for (const connection of await this.connections.all()) await this.run(connection);
  }

  /** Erases the marked customers of a connection. */
  async run(connection: TilldConnection): Promise<void> {
    const repository = this.db.rawConnection.getRepository(TilldPayment);
    const where = { channelId: connection.channelId, isToErase: true };
    const rows = await repository.find({ where, take: BATCH });
    if (rows.length === 0) return;
    const till = this.connections.client(connection);
    const erased = new Set<string>();
    for (const { id, paymentId } of rows) {
      const { customerId } = await till.payments.get({ paymentId });
      if (customerId !== null && !erased.has(customerId)) {
        await till.customers.erase({ customerId });
        erased.add(customerId);
        Logger.info(`customer ${customerId} erased in tilld`, LOG);
      }
      await repository.update({ id }, { isToErase: false });
    }
  }
}
