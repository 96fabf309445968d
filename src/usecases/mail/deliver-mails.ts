import { z } from 'zod';
import type { SecretBox } from '../../domain/keys.ts';
import { MailRefused, type Mailer, type MailMessage } from '../../domain/mail.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { listDueMails, postponeMail, finishMail } from '../../store/accounts/mails.ts';
import type { MailRow } from '../../store/schema/accounts.ts';

export interface DeliverMailsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly mailer: Mailer;
}

const MINUTE_MS = 60_000;
/** Pauses between attempts; after one more failure the mail is given up. */
const RETRY_DELAYS_MS = [
  10_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  120 * MINUTE_MS,
  360 * MINUTE_MS,
] as const;
const BATCH = 20;
const ERROR_MAX = 200;

const storedMessage = z.object({
  id: z.string(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  link: z.string().nullable(),
  unsubscribe: z.string().nullable().default(null),
  attachments: z.array(z.object({ name: z.string(), type: z.string(), base64: z.string() })).default([]),
});

/**
 * Sends the due mails of the outbox, one after the other, outside any transaction. At least once: a mail may
 * go out twice when the process dies in between. @returns how many were tried.
 */
export async function deliverMails(deps: DeliverMailsDeps, signal: AbortSignal): Promise<number> {
  const at = { now: deps.clock.now(), pausesMs: [0, ...RETRY_DELAYS_MS] };
  const due = await listDueMails(deps.db, at, BATCH);
  for (const row of due) {
    if (signal.aborted) break;
    await deliver(deps, row, signal);
  }
  return due.length;
}

async function deliver(deps: DeliverMailsDeps, row: MailRow, signal: AbortSignal): Promise<void> {
  const { db, clock, logger } = deps;
  const { id, kind } = row;
  if (row.expiresAt <= clock.now()) return failPermanently(deps, row, 'expired before it could be sent');
  const message = open(deps.secretBox, row);
  if (message === null) return failPermanently(deps, row, 'cannot be read');
  try {
    await deps.mailer.send(message, signal);
  } catch (error) {
    // A shutdown says nothing about the mail, so the next start retries it.
    if (signal.aborted) return undefined;
    return scheduleRetry(deps, row, error);
  }
  const attempts = row.attempts + 1;
  await finishMail(db, { id, state: 'sent', attempts, error: null, now: clock.now() });
  logger.debug({ mail: id, kind, attempts }, 'email sent');
  return undefined;
}

function open(secretBox: SecretBox, row: MailRow): MailMessage | null {
  try {
    return storedMessage.parse(JSON.parse(secretBox.open(row.bodySealed ?? '')));
  } catch {
    return null;
  }
}

async function scheduleRetry(deps: DeliverMailsDeps, row: MailRow, error: unknown): Promise<void> {
  const now = deps.clock.now();
  const delayMs = RETRY_DELAYS_MS[row.attempts];
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, ERROR_MAX);
  if (error instanceof MailRefused || delayMs === undefined) return failPermanently(deps, row, reason);
  const attempts = row.attempts + 1;
  deps.logger.warn(
    { mail: row.id, kind: row.kind, attempts, delayMs, reason },
    'email delivery failed; will retry',
  );
  await postponeMail(deps.db, { id: row.id, attempts, nextAttemptAt: now + delayMs, error: reason, now });
  return undefined;
}

async function failPermanently(deps: DeliverMailsDeps, row: MailRow, reason: string): Promise<void> {
  const attempts = row.attempts + 1;
  deps.logger.error({ mail: row.id, kind: row.kind, attempts, reason }, 'email delivery failed permanently');
  await finishMail(deps.db, {
    id: row.id,
    state: 'failed',
    attempts,
    error: reason,
    now: deps.clock.now(),
  });
}
