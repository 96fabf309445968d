import type { Mode } from '../../domain/coins.ts';
import { REMINDED_DAILY, type NoticeReason } from '../../domain/notices.ts';
import type { Clock } from '../../domain/ports.ts';
import { deleteCondition, upsertCondition, storedConditions } from '../../store/notices/conditions.ts';
import { insertNotice } from '../../store/notices/notices.ts';
import type { NoticeConditionRow, NoticeRow } from '../../store/schema/notices.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import type { NoticeDetails } from './notice-details.ts';

/** A state that currently holds. */
export interface Condition {
  readonly reason: NoticeReason;
  /** Notified once it is over; null: nothing. */
  readonly back: NoticeReason | null;
  /** Empty for conditions of the operator. */
  readonly merchantId: string;
  readonly mode: Mode;
  readonly subject: string;
  readonly details: NoticeDetails;
  /** How long it must last before it is notified. */
  readonly afterMs: number;
}

/** A state that returns sooner counts as uninterrupted. */
const CALM_MS = 15 * 60_000;
const DAY_MS = 86_400_000;
const LONGEST_MS = 6 * 3_600_000;
const REMINDED_MS = 14 * DAY_MS;

/**
 * Compares the current conditions with the previous ones, and stores a notice of each state that has lasted
 * and of each that is over, and for some a daily reminder. A state that keeps returning must last twice as
 * long each time before it is notified.
 */
export async function storeConditionNotices(
  deps: { readonly db: Db; readonly clock: Clock },
  current: readonly Condition[],
): Promise<void> {
  const now = deps.clock.now();
  const stored = await storedConditions(deps.db);
  if (current.length === 0 && stored.size === 0) return;
  await deps.db.transaction(async (tx) => {
    const keys = new Set<string>();
    for (const condition of current) {
      const key = conditionKey(condition);
      keys.add(key);
      await continueSession(tx, condition, stored.get(key), now);
    }
    for (const row of stored.values()) if (!keys.has(row.key)) await end(tx, row, now);
  });
}

function conditionKey({ reason, subject }: Condition): string {
  return `${reason} ${subject}`;
}

async function continueSession(
  tx: Tx,
  condition: Condition,
  before: NoticeConditionRow | undefined,
  now: number,
): Promise<void> {
  const isSameEpisode = before !== undefined && (before.overSince === null || before.toldAt !== null);
  const row = isSameEpisode
    ? { ...before, overSince: null }
    : {
        key: conditionKey(condition),
        conditionJson: JSON.stringify(condition),
        since: now,
        toldAt: null,
        overSince: null,
        returns: before?.returns ?? 0,
      };
  const longest = Math.max(LONGEST_MS, condition.afterMs);
  const neededMs = Math.min(condition.afterMs * 2 ** row.returns, longest);
  const isDue = row.toldAt === null && now - row.since >= neededMs;
  const isRepeated = isReminderDue(condition, row, now);
  if (isDue) await note(tx, condition, condition.reason, { since: row.since, now });
  if (isRepeated) await remind(tx, condition, row, now);
  if (isDue || isRepeated || !isSameEpisode || before.overSince !== null) {
    await upsertCondition(tx, { ...row, toldAt: isDue || isRepeated ? now : row.toldAt });
  }
}

/** Once a day while it lasts, for two weeks: further mails would not help. */
function isReminderDue({ reason }: Condition, row: NoticeConditionRow, now: number): boolean {
  if (row.toldAt === null || !REMINDED_DAILY.has(reason)) return false;
  return now - row.toldAt >= DAY_MS && now - row.since < REMINDED_MS;
}

/** A notified state is repeated as a reminder. */
async function remind(tx: Tx, condition: Condition, row: NoticeConditionRow, now: number): Promise<void> {
  await insertNotice(tx, {
    ...toNotice(condition, condition.reason, { since: row.since, now }),
    key: `${condition.reason} ${condition.subject} ${row.since} ${now}`,
    toldAt: row.toldAt,
  });
}

/**
 * A notified state ends after a calm period; an unnotified one is forgotten, after a day if it had returned.
 */
async function end(tx: Tx, row: NoticeConditionRow, now: number): Promise<void> {
  if (row.toldAt === null && row.returns === 0) return deleteCondition(tx, row.key);
  if (row.overSince === null) return upsertCondition(tx, { ...row, overSince: now });
  const calmMs = now - row.overSince;
  if (row.toldAt === null) return calmMs >= DAY_MS ? deleteCondition(tx, row.key) : undefined;
  if (calmMs < CALM_MS) return undefined;
  const condition = JSON.parse(row.conditionJson) as Condition;
  if (condition.back !== null) await note(tx, condition, condition.back, { since: row.since, now });
  return upsertCondition(tx, { ...row, toldAt: null, returns: row.returns + 1 });
}

async function note(tx: Tx, condition: Condition, reason: NoticeReason, at: At): Promise<void> {
  await insertNotice(tx, toNotice(condition, reason, at));
}

interface At {
  readonly since: number;
  readonly now: number;
}

function toNotice(
  { merchantId, mode, subject, details }: Condition,
  reason: NoticeReason,
  at: At,
): NoticeRow {
  return {
    key: `${reason} ${subject} ${at.since}`,
    reason,
    merchantId,
    mode,
    subject,
    detailsJson: JSON.stringify(details),
    createdAt: at.now,
    dueAt: at.now,
    toldAt: null,
  };
}
