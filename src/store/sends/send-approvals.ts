import { sql, type Selectable } from 'kysely';
import { z } from 'zod';
import type { ChainId, Mode } from '../../domain/coins.ts';
import type { ApprovalStatus } from '../../domain/send/approval.ts';
import { APPROVAL_REASONS, type ApprovalReason } from '../../domain/send/spending-limits.ts';
import type { SendApprovalRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** A send that waits for an approval, or waited. Its id is that of the send that it becomes. */
export type StoredApproval = Omit<Selectable<SendApprovalRow>, 'reasonsJson'> & {
  readonly reasons: readonly ApprovalReason[];
};

/** Maximum number of undecided ones of a shop; bounds the database. */
export const PENDING_MAX = 200;

const reasons = z.array(z.enum(APPROVAL_REASONS));

function toApproval({ reasonsJson, ...row }: Selectable<SendApprovalRow>): StoredApproval {
  return { ...row, reasons: reasons.parse(JSON.parse(reasonsJson)) };
}

export async function insertApproval(tx: Tx, { reasons, ...row }: StoredApproval): Promise<void> {
  if (!tx.isTransaction) throw new Error('an approval must be stored in a transaction');
  await tx
    .insertInto('send_approvals')
    .values({ ...row, reasonsJson: JSON.stringify(reasons) })
    .execute();
}

export async function findApproval(db: Db, id: string): Promise<StoredApproval | undefined> {
  const row = await db.selectFrom('send_approvals').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : toApproval(row);
}

export async function findApprovalByKey(
  db: Db,
  merchantId: string,
  idempotencyKey: string,
): Promise<StoredApproval | undefined> {
  const row = await db
    .selectFrom('send_approvals')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('idempotencyKey', '=', idempotencyKey)
    .executeTakeFirst();
  return row === undefined ? undefined : toApproval(row);
}

/** The undecided approval of a claim on a refund link. */
export async function findApprovalOfClaim(
  db: Db,
  claim: { readonly linkId: string; readonly claimId: string | null },
): Promise<StoredApproval | undefined> {
  const row = await db
    .selectFrom('send_approvals')
    .selectAll()
    .where('linkId', '=', claim.linkId)
    .where('claimId', 'is', claim.claimId)
    .where('status', '=', sql.lit('pending'))
    .executeTakeFirst();
  return row === undefined ? undefined : toApproval(row);
}

/**
 * Decides an approval that is pending and not past its time; false: it was decided before, or is past it. Of several
 * decisions the first one counts.
 */
export async function decideApproval(
  tx: Tx,
  id: string,
  decision: {
    readonly status: Exclude<ApprovalStatus, 'pending'>;
    readonly decidedBy: string | null;
    readonly now: number;
  },
): Promise<boolean> {
  const { status, decidedBy, now } = decision;
  const decided = await tx
    .updateTable('send_approvals')
    .set({ status, decidedBy, updatedAt: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .$if(status !== 'expired', (query) => query.where('expiresAt', '>', now))
    .returning('id')
    .executeTakeFirst();
  return decided !== undefined;
}

/** Pending approvals of a chain that are not past their time, oldest first. */
export async function listHeld(
  db: Db,
  { coin, mode }: ChainId,
  now: number,
  limit: number,
): Promise<StoredApproval[]> {
  const rows = await db
    .selectFrom('send_approvals')
    .selectAll()
    .where('status', '=', sql.lit('pending'))
    .where('expiresAt', '>', now)
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toApproval);
}

/** Ends the time of a pending approval now; false: it is none, or its time is over. */
export async function endApproval(tx: Tx, id: string, now: number): Promise<boolean> {
  const ended = await tx
    .updateTable('send_approvals')
    .set({ expiresAt: now, updatedAt: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('expiresAt', '>', now)
    .returning('id')
    .executeTakeFirst();
  return ended !== undefined;
}

/** Pending approvals past their time. */
export async function approvalsToExpire(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('send_approvals')
    .select('id')
    .where('status', '=', sql.lit('pending'))
    .where('expiresAt', '<=', now)
    .orderBy('expiresAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Approvals of a shop in a mode, newest first; only pending ones, or all. */
export async function listApprovals(
  db: Db,
  of: {
    readonly merchantId: string;
    readonly mode: Mode;
    readonly isPending: boolean;
    readonly limit: number;
  },
): Promise<StoredApproval[]> {
  const rows = await db
    .selectFrom('send_approvals')
    .selectAll()
    .where('merchantId', '=', of.merchantId)
    .where('mode', '=', of.mode)
    .$if(of.isPending, (query) => query.where('status', '=', sql.lit('pending')))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(of.limit)
    .execute();
  return rows.map(toApproval);
}

/** The number of undecided approvals of a shop. */
export async function countPendingApprovals(db: Db, merchantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('send_approvals')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('merchantId', '=', merchantId)
    .where('status', '=', sql.lit('pending'))
    .executeTakeFirstOrThrow();
  return count;
}

/** In a query of refund links: whether the claim waits for no approval. */
export function isNotHeld() {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM send_approvals AS held
    WHERE held.link_id = refund_links.id AND held.claim_id IS refund_links.claim_id AND held.status = 'pending')`;
}

/** Warns of what may have been approved and sent since an older copy of the database. */
export async function markApprovalsRestored(tx: Tx): Promise<void> {
  await sql`UPDATE send_approvals SET reasons_json = json_insert(reasons_json, '$[#]', 'restored')
    WHERE status = 'pending' AND reasons_json NOT LIKE '%"restored"%'`.execute(tx);
}
