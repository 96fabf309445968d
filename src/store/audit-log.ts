import { sql } from 'kysely';
import type { AuditRow } from './schema/people.ts';
import type { Db } from './sqlite/database.ts';

/** @returns the id of the new entry. */
export async function insertAudit(db: Db, row: Omit<AuditRow, 'id'>): Promise<number> {
  const { id } = await db.insertInto('audit_log').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

export interface AuditResult {
  readonly id: number;
  readonly result: string;
  /** The object of the action, where only its response names it. */
  readonly objectId: string | null;
  readonly merchantId: string | null;
}

/** Records the result of an action. */
export async function finishAuditEntry(
  db: Db,
  { id, result, objectId, merchantId }: AuditResult,
): Promise<void> {
  const about = objectId === null ? {} : { objectId };
  const of = merchantId === null ? {} : { merchantId };
  await db
    .updateTable('audit_log')
    .set({ result, ...about, ...of })
    .where('id', '=', id)
    .execute();
}

/** What the entries of a filter are about. */
export const AUDIT_SUBJECTS = ['money'] as const;
type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

/** Patterns of actions: methods and paths, or what the daemon did. */
const ACTIONS: Readonly<Record<AuditSubject, readonly string[]>> = {
  money: [
    '* /merchant/wallet/*',
    '* /payment/refund*',
    '* /payment/resolve',
    '* /merchant/subscription/credit',
    'forward *',
    'watched account *',
    'approval expired',
  ],
};

export interface AuditFilter {
  /** A shop, or a user for entries about the account alone. */
  readonly of: { readonly merchantId: string } | { readonly userId: string };
  readonly actorId?: string | undefined;
  readonly action?: string | undefined;
  readonly about?: AuditSubject | undefined;
  /** Entries before this one. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Entries, newest first. */
export async function listAudit(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const all = db.selectFrom('audit_log').selectAll();
  const entries =
    'merchantId' in filter.of
      ? all.where('merchantId', '=', filter.of.merchantId)
      : all.where('merchantId', 'is', null).where('actorId', '=', filter.of.userId);
  const { actorId, action, about, before } = filter;
  return entries
    .$if(actorId !== undefined, (query) => query.where('actorId', '=', actorId ?? ''))
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(about !== undefined, (query) =>
      query.where(sql<boolean>`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(about && ACTIONS[about])}) AS pattern
        WHERE audit_log.action GLOB pattern.value)`),
    )
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .execute();
}

/** Deletes entries older than a time, up to a limit; returns how many. */
export async function deleteAuditBefore(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('audit_log')
    .where('id', 'in', (eb) => eb.selectFrom('audit_log').select('id').where('at', '<', before).limit(limit))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
