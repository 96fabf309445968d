import { createHash } from 'node:crypto';
import { AppError, invalidField } from '../../domain/errors.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { replaceAccountToken } from '../../store/accounts/account-tokens.ts';
import { mailTimesSince, supersedeMails } from '../../store/accounts/mails.ts';
import { noticeLanguage } from '../../store/notices/notice-choices.ts';
import type { AccountTokenRow, UserRow } from '../../store/schema/accounts.ts';
import { countMails, linkMail, queueMail } from '../mail/index.ts';
import { randomBase62 } from '../events/index.ts';
import type { AccountDeps } from './account-deps.ts';

type Purpose = AccountTokenRow['purpose'];

const HOUR_MS = 3_600_000;
/** 43 base62 characters carry the 256 bits of 32 random bytes. */
const TOKEN_LENGTH = 43;
/** Mails of one purpose to one user within its window; prevents flooding of a mailbox. */
const MAILS_PER_WINDOW = 5;

/**
 * A window is never longer than a link's lifetime: a user who is refused another mail still has a valid link.
 */
const LIFETIMES: Readonly<Record<Purpose, { lifetimeMs: number; windowMs: number }>> = {
  'verify-email': { lifetimeMs: 48 * HOUR_MS, windowMs: 24 * HOUR_MS },
  'reset-password': { lifetimeMs: HOUR_MS, windowMs: HOUR_MS },
};

/** SHA-256 under which a mailed token is stored; it is long and random, so a slow hash is not needed. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The same error for a token that never existed, was used, was replaced or has expired. */
export function invalidToken(): AppError {
  return invalidField('token', 'is not valid, or no longer');
}

/**
 * Creates a token and the mail that carries it. The previous token becomes invalid and its mail, if still in
 * the outbox, is not sent. @returns 0, or the ms to wait before another mail; then nothing changed.
 */
export async function mailLink(
  tx: Tx,
  deps: Pick<AccountDeps, 'clock' | 'secretBox' | 'baseUrl'>,
  user: UserRow,
  purpose: Purpose,
): Promise<number> {
  const now = deps.clock.now();
  const { lifetimeMs, windowMs } = LIFETIMES[purpose];
  const owner = { userId: user.id, kind: purpose };
  const [oldest, ...others] = await mailTimesSince(tx, {
    ...owner,
    since: now - windowMs,
    limit: MAILS_PER_WINDOW,
  });
  if (oldest !== undefined && others.length >= MAILS_PER_WINDOW - 1) return oldest + windowMs - now;
  const { waitMs } = await countMails(tx, { ...owner, to: user.email }, now);
  if (waitMs > 0) return waitMs;
  const token = randomBase62(TOKEN_LENGTH);
  const expiresAt = now + lifetimeMs;
  await replaceAccountToken(tx, {
    userId: user.id,
    purpose,
    tokenHash: tokenHash(token),
    createdAt: now,
    expiresAt,
    usedAt: null,
  });
  await supersedeMails(tx, { ...owner, now });
  const link = `${deps.baseUrl}/dashboard/${purpose}?token=${token}`;
  const isFirstProof = purpose === 'reset-password' && !user.isVerified;
  const language = (await noticeLanguage(tx, user.id)) ?? 'en';
  const text = linkMail(purpose, { language, baseUrl: deps.baseUrl, link, isFirstProof });
  return queueMail(tx, deps, { ...owner, to: user.email, text, expiresAt });
}
