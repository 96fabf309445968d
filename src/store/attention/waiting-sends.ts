import { sql } from 'kysely';
import type { Coin } from '../../domain/coins.ts';
import type { RefundLinkStatus } from '../../domain/payment/refund-link.ts';
import { CAN_COST_MORE } from '../sends/send-status.ts';
import type { Db } from '../sqlite/database.ts';
import type { ShopMode } from './waiting-payments.ts';

/** A send that failed, or that is not mined in time. */
export interface WaitingSend {
  readonly id: string;
  readonly coin: Coin;
  /** Atoms. */
  readonly amount: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
  readonly feeLimitedAt: number | null;
}

function sends(db: Db, { merchantId, mode }: ShopMode) {
  return db
    .selectFrom('sends')
    .select(['id', 'coin', 'amount', 'createdAt', 'updatedAt', 'version', 'feeLimitedAt'])
    .where('merchantId', '=', merchantId)
    .where('mode', '=', mode)
    .where('purpose', '=', sql.lit('send'));
}

/** Sends that failed for good after a time, newest first, without those that a person cancelled. */
export async function failedSends(
  db: Db,
  shop: ShopMode,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<WaitingSend[]> {
  return sends(db, shop)
    .where('status', '=', sql.lit('failed'))
    .where('updatedAt', '>', since)
    .where(sql<boolean>`coalesce(error, '') NOT LIKE 'cancelled%'`)
    .orderBy('updatedAt', 'desc')
    .limit(limit)
    .execute();
}

/** Unconfirmed sends from before a time, or whose fee bump has waited for its budget since before another one. */
export async function slowSends(
  db: Db,
  shop: ShopMode,
  { createdBefore, limitedBefore, limit }: SlowTimes,
): Promise<WaitingSend[]> {
  return sends(db, shop)
    .where(CAN_COST_MORE)
    .where((eb) => eb.or([eb('createdAt', '<', createdBefore), eb('feeLimitedAt', '<', limitedBefore)]))
    .orderBy('createdAt')
    .limit(limit)
    .execute();
}

interface SlowTimes {
  readonly createdBefore: number;
  readonly limitedBefore: number;
  readonly limit: number;
}

/** A claim of a refund without a send, that waits for approval or for a problem of its shop. */
export interface WaitingClaim {
  readonly id: string;
  readonly paymentId: string;
  readonly order: string;
  readonly amount: string;
  readonly currency: string;
  readonly coin: Coin | null;
  readonly destination: string | null;
  readonly claimId: string | null;
  readonly claimedAt: number | null;
  readonly problem: string | null;
  readonly approval: boolean;
  readonly status: RefundLinkStatus;
}

/**
 * The claims of a shop that wait for its approval, and those that a problem has held up since before a time,
 * longest waiting first.
 */
export async function waitingClaims(
  db: Db,
  shop: ShopMode,
  { heldBefore, limit }: { readonly heldBefore: number; readonly limit: number },
): Promise<WaitingClaim[]> {
  return (
    db
      .selectFrom('refund_links')
      .innerJoin('payments', 'payments.id', 'refund_links.paymentId')
      .select(['refund_links.id', 'refund_links.paymentId', 'refund_links.amount', 'refund_links.currency'])
      .select(['refund_links.coin', 'refund_links.destination', 'refund_links.claimId'])
      .select(['refund_links.claimedAt', 'refund_links.problem', 'refund_links.approval'])
      .select(['refund_links.status'])
      .select(sql<string>`coalesce(payments.order_label, payments.order_id)`.as('order'))
      // As in the index of unsent claims, which the planner else would not prove to apply.
      .where(sql<boolean>`refund_links.status IN ('claimed', 'approved')`)
      .where('refund_links.sendId', 'is', null)
      .where('refund_links.merchantId', '=', shop.merchantId)
      .where('payments.mode', '=', shop.mode)
      .where((eb) =>
        eb.or([
          eb.and([eb('refund_links.approval', '=', true), eb('refund_links.status', '=', 'claimed')]),
          eb.and([eb('refund_links.problem', 'is not', null), eb('refund_links.claimedAt', '<', heldBefore)]),
        ]),
      )
      .orderBy('refund_links.claimedAt')
      .limit(limit)
      .execute()
  );
}
