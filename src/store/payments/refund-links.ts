import { sql, type Insertable, type Updateable } from 'kysely';
import type { ChainId, Coin, Mode } from '../../domain/coins.ts';
import type { RefundLinkStatus } from '../../domain/payment/refund-link.ts';
import type { RefundLinkRow } from '../schema/refund-links.ts';
import { isNotHeld } from '../sends/send-approvals.ts';
import { frozenMessage, isUnfrozen, listFreezes } from '../sends/wallet-freezes.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';

/** A link with the transaction of its send. */
export interface StoredRefundLink extends Readonly<RefundLinkRow> {
  readonly txid: string | null;
  /** Mode of its payment. */
  readonly mode: Mode;
}

function links(db: Db) {
  return db
    .selectFrom('refund_links')
    .innerJoin('payments', 'payments.id', 'refund_links.paymentId')
    .leftJoin('sends', 'sends.id', 'refund_links.sendId')
    .selectAll('refund_links')
    .select(['sends.txid', 'payments.mode']);
}

export async function insertRefundLink(tx: Tx, row: Insertable<RefundLinkRow>): Promise<void> {
  await tx.insertInto('refund_links').values(row).execute();
}

export async function findRefundLink(db: Db, id: string): Promise<StoredRefundLink | undefined> {
  return links(db).where('refund_links.id', '=', id).executeTakeFirst();
}

export async function findRefundLinkByToken(
  db: Db,
  tokenHash: string,
): Promise<StoredRefundLink | undefined> {
  return links(db).where('refund_links.tokenHash', '=', tokenHash).executeTakeFirst();
}

/** The latest refund that the payer of a payment requested. */
export async function findRequestedLink(db: Db, paymentId: string): Promise<StoredRefundLink | undefined> {
  return links(db)
    .where('refund_links.paymentId', '=', paymentId)
    .where('refund_links.requestedBy', '=', 'payer')
    .orderBy('refund_links.createdAt', 'desc')
    .orderBy('refund_links.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Must run in the transaction that decided on it. Returns the updated link. */
export async function updateRefundLink(
  tx: Tx,
  id: string,
  change: Updateable<RefundLinkRow> & { readonly updatedAt: number },
): Promise<StoredRefundLink> {
  if (!tx.isTransaction) throw new Error('a refund link must be changed in a transaction');
  await tx.updateTable('refund_links').set(change).where('id', '=', id).execute();
  const changed = await findRefundLink(tx, id);
  if (changed === undefined) throw new Error(`refund link ${id} does not exist`);
  return changed;
}

export interface RefundLinkFilter {
  readonly merchantId: string;
  /** Links of one payment, in any mode; else those of all payments of `mode`. */
  readonly paymentId?: string | undefined;
  readonly mode: Mode;
  readonly status?: RefundLinkStatus | undefined;
}

/** One page of a merchant's links, newest first, and the total. */
export async function listRefundLinks(
  db: Db,
  filter: RefundLinkFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ links: StoredRefundLink[]; total: number }> {
  const matching = links(db)
    .where('refund_links.merchantId', '=', filter.merchantId)
    .$if(filter.paymentId === undefined, (query) => query.where('payments.mode', '=', filter.mode))
    .$if(filter.paymentId !== undefined, (query) =>
      query.where('refund_links.paymentId', '=', filter.paymentId ?? ''),
    )
    .$if(filter.status !== undefined, (query) =>
      query.where('refund_links.status', '=', filter.status ?? 'open'),
    );
  const { total } = await matching
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .orderBy('refund_links.createdAt', 'desc')
    .orderBy('refund_links.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { links: rows, total };
}

/** Money of a payment that a claim reserves until its send is stored. */
export interface UnsentClaim {
  readonly id: string;
  readonly coin: Coin;
  /** Atoms. */
  readonly claimed: string;
  readonly claimValue: string | null;
  readonly claimUnpriced: string;
  readonly claimCompletedJson: string | null;
  readonly claimByAcceptance: boolean;
}

/** The claims of a payment without a send. */
export async function unsentClaims(db: Db, paymentId: string): Promise<UnsentClaim[]> {
  const rows = await selectClaims(db, { paymentId });
  return rows.map(({ coin, claimed, ...row }) => {
    if (coin === null || claimed === null)
      throw new Error(`refund link ${row.id} was claimed without a coin`);
    return { ...row, coin, claimed };
  });
}

const selectClaims = prepared((db, param: ParamOf<{ paymentId: string }>) =>
  db
    .selectFrom('refund_links')
    .select(['id', 'coin', 'claimed', 'claimValue', 'claimUnpriced'])
    .select(['claimCompletedJson', 'claimByAcceptance'])
    .where('paymentId', '=', param('paymentId'))
    .where(sql<boolean>`status in ('claimed', 'approved')`)
    .where('sendId', 'is', null)
    .orderBy('claimedAt'),
);

/**
 * Links with a claim to send and without a send, longest waiting first. Leaves out those of frozen wallets that
 * state a freeze as their problem: nothing changes about them before the unfreeze. Leaves out those that wait for an
 * approval.
 */
export async function claimsToSend(db: Db, limit: number): Promise<(ChainId & { readonly id: string })[]> {
  const stated = JSON.stringify((await listFreezes(db)).map(frozenMessage));
  const rows = await db
    .selectFrom('refund_links')
    .innerJoin('payments', 'payments.id', 'refund_links.paymentId')
    .select(['refund_links.id', 'refund_links.coin', 'payments.mode'])
    .where('refund_links.status', 'in', ['claimed', 'approved'])
    .where('refund_links.sendId', 'is', null)
    .where(isNotHeld())
    .where((eb) =>
      eb.or([eb('refund_links.status', '=', 'approved'), eb('refund_links.approval', '=', false)]),
    )
    .where((eb) =>
      eb.or([
        isUnfrozen('payments.merchant_id'),
        sql<boolean>`coalesce(refund_links.problem, '') NOT IN (SELECT value FROM json_each(${stated}))`,
      ]),
    )
    .orderBy('refund_links.claimedAt')
    .limit(limit)
    .execute();
  return rows.flatMap(({ id, coin, mode }) => (coin === null ? [] : [{ id, coin, mode }]));
}

/** Unclaimed links past their expiry. */
export async function linksToExpire(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('refund_links')
    .select('id')
    .where('status', '=', 'open')
    .where('expiresAt', '<=', now)
    .orderBy('expiresAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Links of a payment through which money could still leave: unclaimed, or claimed and without a send. */
export async function listUnpaidLinks(db: Db, paymentId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('refund_links')
    .select('id')
    .where('paymentId', '=', paymentId)
    .where('status', 'in', ['open', 'claimed', 'approved'])
    .where('sendId', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Literals: only then does the partial index `refund_links_payable` apply. */
const IS_PAYABLE = sql<boolean>`refund_links.status IN ('open', 'claimed', 'approved') AND refund_links.send_id IS NULL`;

/** Links of a shop in a mode through which money can still leave: unclaimed, or claimed and without a send. */
export async function listLinksWithoutSend(
  db: Db,
  { merchantId, mode }: { readonly merchantId: string; readonly mode: Mode },
): Promise<StoredRefundLink[]> {
  return links(db)
    .where('refund_links.merchantId', '=', merchantId)
    .where('payments.mode', '=', mode)
    .where(IS_PAYABLE)
    .execute();
}

/** Unclaimed links of a payment. */
export async function listOpenLinks(db: Db, paymentId: string): Promise<string[]> {
  const rows = await selectUnclaimed(db, { paymentId });
  return rows.map(({ id }) => id);
}

const selectUnclaimed = prepared((db, param: ParamOf<{ paymentId: string }>) =>
  db
    .selectFrom('refund_links')
    .select('id')
    .where('paymentId', '=', param('paymentId'))
    .where('status', '=', sql.lit('open'))
    .orderBy('createdAt')
    .orderBy('id'),
);

/**
 * Makes every link through which money could still leave wait for the merchant's approval, even if it has
 * one.
 */
export async function holdUnpaidLinks(
  tx: Tx,
  { problem, now }: { readonly problem: string; readonly now: number },
): Promise<void> {
  if (!tx.isTransaction) throw new Error('refund links must be locked in a transaction');
  const awaiting = { approval: true, approvedAt: null, problem, updatedAt: now } as const;
  const unpaid = tx.updateTable('refund_links').where('sendId', 'is', null);
  await unpaid.set(awaiting).where('status', '=', 'open').execute();
  await unpaid
    // A late approval from before does not cover anything that was unknown then.
    .set({ ...awaiting, status: 'claimed', claimId: sql<string>`'rcl_' || lower(hex(randomblob(12)))` })
    .where('status', 'in', ['claimed', 'approved'])
    .execute();
}
