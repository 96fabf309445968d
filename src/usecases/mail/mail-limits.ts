import { createHash } from 'node:crypto';
import { emailKey, normalizedMailbox } from '../../domain/email.ts';
import { findUser } from '../../store/accounts/users.ts';
import { mailTimesTo, othersMailTimes } from '../../store/accounts/mails.ts';
import type { MailRow } from '../../store/schema/accounts.ts';
import type { Tx } from '../../store/sqlite/database.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Limit {
  readonly count: number;
  readonly windowMs: number;
}

/**
 * Rate limits per mailbox whose owner has not confirmed it here, by kind, so that no kind uses up the limit
 * of another: another person typed the address. A window is never longer than the lifetime of the link in
 * such a mail.
 */
const PER_MAILBOX: Readonly<Record<MailRow['kind'], Limit>> = {
  'verify-email': { count: 10, windowMs: DAY_MS },
  'reset-password': { count: 10, windowMs: HOUR_MS },
  notice: { count: 5, windowMs: DAY_MS },
  'shop-notice': { count: 20, windowMs: DAY_MS },
  receipt: { count: 20, windowMs: DAY_MS },
  subscription: { count: 20, windowMs: DAY_MS },
  // Of its own, so that strangers with a link of a shop cannot use up the limit of paid subscriptions.
  'subscription-start': { count: 3, windowMs: DAY_MS },
};

/** Rate limits per account for all its mails to such mailboxes, by kind: the invitations of all its shops. */
const PER_ACCOUNT: Limit = { count: 50, windowMs: DAY_MS };

/** Longest window: older mails no longer count. */
export const MAIL_WINDOW_MS = DAY_MS;

/** The fields of a mail that the limits need. */
export interface LimitedMail {
  /** The account that causes the mail; null: the operator, or a payer. */
  readonly userId: string | null;
  readonly to: string;
  readonly kind: MailRow['kind'];
}

interface Counted {
  /**
   * Key of the mailbox limit; null where the mail goes to an address that its owner confirmed, or to the
   * operator.
   */
  readonly recipientHash: string | null;
  /** Time until another such mail may be written, ms; 0: now. */
  readonly waitMs: number;
}

/** Counts a mail for the mailbox and for the account, in the transaction that writes the mail. */
export async function countMails(tx: Tx, mail: LimitedMail, now: number): Promise<Counted> {
  if (await isOwn(tx, mail)) return { recipientHash: null, waitMs: 0 };
  const { userId, kind } = mail;
  const recipientHash = createHash('sha256').update(normalizedMailbox(mail.to)).digest('hex');
  const perMailbox = PER_MAILBOX[kind];
  const to = { recipientHash, kind, since: now - perMailbox.windowMs, limit: perMailbox.count };
  const waits = [waitFor(await mailTimesTo(tx, to), perMailbox, now)];
  if (userId !== null) {
    const by = { userId, kind, since: now - PER_ACCOUNT.windowMs, limit: PER_ACCOUNT.count };
    waits.push(waitFor(await othersMailTimes(tx, by), PER_ACCOUNT, now));
  }
  return { recipientHash, waitMs: Math.max(...waits) };
}

/** Whether a mail goes to the operator, or to the address that its account has confirmed. */
async function isOwn(tx: Tx, { userId, to, kind }: LimitedMail): Promise<boolean> {
  if (userId === null) return kind === 'shop-notice';
  const user = await findUser(tx, userId);
  return user?.isVerified === true && user.emailKey === emailKey(to);
}

function waitFor(times: readonly number[], { count, windowMs }: Limit, now: number): number {
  const [oldest] = times;
  if (oldest === undefined || times.length < count) return 0;
  // Never longer than the window, also after the clock was set back.
  return Math.min(oldest - now, 0) + windowMs;
}
