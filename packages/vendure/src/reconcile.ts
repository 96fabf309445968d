import { Injectable } from '@nestjs/common';
import { TilldError, type Tilld } from '@tilld/sdk';
import { Logger, ScheduledTask, TransactionalConnection } from '@vendure/core';
import { LOG, TilldConnectionService } from './connection.service';
import { TilldConnection, TilldPayment } from './entities';
import { TilldErasureService } from './erasure.service';
import { TilldRefundService } from './refund.service';
import { TilldSyncService } from './sync.service';

/** Maximum number of payments retried in one run. */
const BATCH = 200;

/** Updates orders from the events cursor alone, even if webhooks were lost. */
@Injectable()
export class TilldReconcileService {
  constructor(
    private readonly db: TransactionalConnection,
    private readonly connections: TilldConnectionService,
    private readonly sync: TilldSyncService,
    private readonly refunds: TilldRefundService,
    private readonly erasures: TilldErasureService,
  ) {}

  /** All channels; a failed one does not stop the others. @throws if one failed */
  async run(): Promise<void> {
    const failures: string[] = [];
    for (const connection of await this.connections.all()) {
      try {
        await this.channel(connection);
      } catch (error) {
        failures.push(`channel ${connection.channelId}: ${String(error)}`);
      }
    }
    if (failures.length > 0) throw new Error(`tilld: not everything is right yet: ${failures.join('; ')}`);
  }

  private async channel(connection: TilldConnection): Promise<void> {
    const ctx = await this.connections.contextOf(connection);
    await this.retryBehind(connection);
    await this.follow(connection, this.connections.client(connection));
    await this.refunds.openWaiting(ctx);
    await this.erasures.run(connection);
  }

  private async retryBehind({ channelId }: TilldConnection): Promise<void> {
    const behind = await this.db.rawConnection
      .getRepository(TilldPayment)
      .find({ where: { channelId, isBehind: true }, take: BATCH });
    for (const { paymentId } of behind) await this.tryOne(paymentId, channelId);
  }

  /** Marks a payment whose change cannot be applied, so that it does not block others. */
  private async tryOne(paymentId: string, channelId: string): Promise<void> {
    try {
      await this.sync.payment(paymentId, channelId);
    } catch (error) {
      const repository = this.db.rawConnection.getRepository(TilldPayment);
      const marked = await repository.update({ paymentId }, { isBehind: true });
      // Without a row the payment could not be found again, so the cursor must not advance.
      if (marked.affected !== 1 || isGeneral(error)) throw error;
      Logger.error(`payment ${paymentId} is tried again later: ${String(error)}`, LOG);
    }
  }

  private async follow(connection: TilldConnection, till: Tilld): Promise<void> {
    let after = connection.cursor ?? 0;
    try {
      for await (const event of till.events.since({ after })) {
        if (event.paymentId !== null) await this.tryOne(event.paymentId, connection.channelId);
        after = event.seq;
        await this.connections.keepCursor(connection, after);
      }
    } catch (error) {
      if (!isUnknownCursor(error)) throw error;
      Logger.warn(
        'tilld does not know the cursor: it was restored from a backup. All events are read again',
        LOG,
      );
      await this.connections.keepCursor(connection, 0);
    }
  }
}

/** An error that affects every payment ends the run. */
function isGeneral(error: unknown): boolean {
  return error instanceof TilldError && error.status !== 404;
}

function isUnknownCursor(error: unknown): boolean {
  return error instanceof TilldError && error.details.some(({ code }) => code === 'unknown_cursor');
}

/** Runs every five minutes where a scheduler (DefaultSchedulerPlugin) is configured. */
export const tilldReconcileTask = new ScheduledTask({
  id: 'tilld-reconcile',
  description: 'Asks tilld what became of payments whose webhooks did not arrive',
  schedule: (cron) => cron.every(5).minutes(),
  timeout: '4m',
  execute: async ({ injector }) => {
    await injector.get(TilldReconcileService).run();
    return { done: true };
  },
});
