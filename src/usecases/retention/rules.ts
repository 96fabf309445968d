import { deleteMailsBefore, forgetRecipients } from '../../store/accounts/mails.ts';
import { deleteSpentChallenges } from '../../store/accounts/passkeys.ts';
import { deleteEndedSessions } from '../../store/accounts/sessions.ts';
import { deleteAuditBefore } from '../../store/audit-log.ts';
import { deleteExpiredIdempotencyKeys } from '../../store/idempotency.ts';
import { deleteInvitationsBefore } from '../../store/merchants/invitations.ts';
import { deleteNoticesBefore } from '../../store/notices/notices.ts';
import { deleteNoticeMailsBefore } from '../../store/notices/notice-mails.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { deleteFinishedDeliveries } from '../../store/webhooks/event-retention.ts';
import { deleteLogsBefore, deleteLogsBeyond } from '../../store/webhooks/webhook-logs.ts';
import { countingAt } from '../accounts/index.ts';
import { MAIL_WINDOW_MS } from '../mail/index.ts';
import { forgetEventBodies } from './forget-event-bodies.ts';

/** What the operator decides. */
export interface RetentionPolicy {
  readonly auditDays: number;
  readonly logRetentionDays: number;
  /** All webhook logs together stay below this. */
  readonly logMaxBytes: number;
}

export interface RetentionRule {
  /** The table, and which of its rows or columns. */
  readonly rows: string;
  readonly keepMs: number;
  /** Prunes up to `limit` rows from before a time in one transaction. @returns how many */
  readonly pruneBatch: (db: Db, before: number, limit: number) => Promise<number>;
}

const DAY_MS = 86_400_000;
/** Longer than a delivery can stay pending, whatever Retry-After its receiver answers. */
const SHORTEST_EVENT_DAYS = 14;

/** Everything that is pruned, in order: deliveries once no log is about them, the bodies of events after these. */
export function retentionRules(policy: RetentionPolicy): readonly RetentionRule[] {
  const keepLogsMs = policy.logRetentionDays * DAY_MS;
  const keepEventsMs = Math.max(policy.logRetentionDays, SHORTEST_EVENT_DAYS) * DAY_MS;
  return [
    { rows: 'idempotency', keepMs: 0, pruneBatch: deleteExpiredIdempotencyKeys },
    {
      rows: 'sessions',
      keepMs: 0,
      pruneBatch: async (db, now, limit) => deleteEndedSessions(db, countingAt(now), limit),
    },
    // Longer than they count: a clock that is set back must not make them new.
    { rows: 'spent_challenges', keepMs: DAY_MS, pruneBatch: deleteSpentChallenges },
    { rows: 'invitations', keepMs: 30 * DAY_MS, pruneBatch: deleteInvitationsBefore },
    { rows: 'audit_log', keepMs: policy.auditDays * DAY_MS, pruneBatch: deleteAuditBefore },
    { rows: 'mails.recipient_hash', keepMs: MAIL_WINDOW_MS, pruneBatch: forgetRecipients },
    // That a mail was sent or given up; its text is erased at once. Those of receipts stay: none is mailed twice.
    { rows: 'mails', keepMs: 30 * DAY_MS, pruneBatch: deleteMailsBefore },
    // Whatever repeats itself within that time is not mailed again.
    { rows: 'notices', keepMs: 90 * DAY_MS, pruneBatch: deleteNoticesBefore },
    { rows: 'notice_mails', keepMs: 90 * DAY_MS, pruneBatch: deleteNoticeMailsBefore },
    { rows: 'webhook_logs', keepMs: keepLogsMs, pruneBatch: deleteLogsBefore },
    {
      rows: 'webhook_logs beyond their size',
      keepMs: 0,
      pruneBatch: async (db, _now, limit) => deleteLogsBeyond(db, policy.logMaxBytes, limit),
    },
    { rows: 'deliveries', keepMs: keepEventsMs, pruneBatch: deleteFinishedDeliveries },
    { rows: 'events.body_json', keepMs: keepEventsMs, pruneBatch: forgetEventBodies },
  ];
}
