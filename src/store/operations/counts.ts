import { sql } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import type { PaymentRow } from '../schema/payments.ts';
import type { SendStatus } from '../../domain/send/types.ts';
import { CAN_COST_MORE, SEND_STATUS } from '../sends/send-status.ts';

/** Number of payments in each status, from the maintained counts. */
export async function countPayments(
  db: Db,
): Promise<{ mode: Mode; status: PaymentRow['status']; count: number }[]> {
  return db
    .selectFrom('payment_counts')
    .select(['mode', 'status', (eb) => eb.fn.sum<number>('count').as('count')])
    .groupBy(['mode', 'status'])
    .having((eb) => eb.fn.sum('count'), '>', 0)
    .execute();
}

/** Number of sends in each status, and the creation time of the first, ms. */
export async function countSends(
  db: Db,
): Promise<{ coin: Coin; mode: Mode; status: SendStatus; count: number; oldestAt: number }[]> {
  return db
    .selectFrom('sends')
    .select(['coin', 'mode', SEND_STATUS.as('status')])
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('createdAt').as('oldestAt')])
    .groupBy(['coin', 'mode', SEND_STATUS])
    .execute();
}

/**
 * Since when the longest waiting send or fee bump has waited for the fee budget of its send, ms; per chain.
 */
export async function oldestFeeLimited(db: Db): Promise<{ coin: Coin; mode: Mode; since: number }[]> {
  return db
    .selectFrom('sends')
    .select(['coin', 'mode'])
    .select((eb) => eb.fn.min<number>('feeLimitedAt').as('since'))
    .where('feeLimitedAt', 'is not', null)
    .where(CAN_COST_MORE)
    .groupBy(['coin', 'mode'])
    .execute();
}

/** Since when the longest waiting refund claim could have had its send, ms; per chain. */
export async function oldestUnsentClaims(
  db: Db,
): Promise<{ coin: Coin | null; mode: Mode; since: number }[]> {
  return db
    .selectFrom('refund_links')
    .innerJoin('payments', 'payments.id', 'refund_links.paymentId')
    .select(['refund_links.coin', 'payments.mode'])
    .select((eb) => eb.fn.min<number>(eb.fn.coalesce('approvedAt', 'claimedAt')).as('since'))
    .where('refund_links.status', 'in', ['claimed', 'approved'])
    .where('refund_links.sendId', 'is', null)
    .where((eb) =>
      eb.or([eb('refund_links.status', '=', 'approved'), eb('refund_links.approval', '=', false)]),
    )
    .groupBy(['refund_links.coin', 'payments.mode'])
    .execute();
}

/** Number of pending webhooks, and since when the first due one waits, ms. */
export async function webhookBacklog(
  db: Db,
  now: number,
): Promise<{ pending: number; due: number; oldestDueAt: number | null }> {
  const pending = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('status', '=', sql.lit('pending'))
    .executeTakeFirstOrThrow();
  const due = await db
    .selectFrom('deliveries')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('nextAttemptAt').as('oldest')])
    .where('status', '=', sql.lit('pending'))
    .where('nextAttemptAt', '<=', now)
    .executeTakeFirstOrThrow();
  const oldest: number | null = due.oldest;
  return { pending: pending.count, due: due.count, oldestDueAt: oldest };
}

/** Time of the newest block read, ms; null before the first. */
export async function newestBlockTimes(db: Db): Promise<{ coin: Coin; mode: Mode; timeMs: number }[]> {
  return db
    .selectFrom('chain_cursors')
    .innerJoin('chain_blocks', (join) =>
      join
        .onRef('chain_blocks.coin', '=', 'chain_cursors.coin')
        .onRef('chain_blocks.mode', '=', 'chain_cursors.mode')
        .onRef('chain_blocks.height', '=', 'chain_cursors.height'),
    )
    .select(['chain_cursors.coin', 'chain_cursors.mode', 'chain_blocks.timeMs as timeMs'])
    .execute();
}
