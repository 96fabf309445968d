import type { SecretBox } from '../../domain/keys.ts';
import type { MailMessage } from '../../domain/mail.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { insertMail } from '../../store/accounts/mails.ts';
import type { MailRow } from '../../store/schema/accounts.ts';
import { newId } from '../events/index.ts';
import { countMails } from './mail-limits.ts';
import type { MailText } from './mail-texts.ts';

export interface QueueMailDeps {
  readonly clock: Clock;
  readonly secretBox: SecretBox;
}

/**
 * Puts a mail into the outbox, in the transaction of the change that it reports.
 * @returns 0, or the ms to wait because a limit of the unconfirmed address or of the account is reached; then
 * nothing changed.
 */
export async function queueMail(
  tx: Tx,
  deps: QueueMailDeps,
  mail: {
    userId: string | null;
    to: string;
    kind: MailRow['kind'];
    text: MailText;
    expiresAt: number;
    /** Fixed id of a mail that must be sent only once; random by default. */
    id?: string;
  },
): Promise<number> {
  const now = deps.clock.now();
  const { recipientHash, waitMs } = await countMails(tx, mail, now);
  if (waitMs > 0) return waitMs;
  const id = mail.id ?? newId('mail_');
  const message: MailMessage = { id, to: mail.to, ...mail.text };
  await insertMail(tx, {
    id,
    userId: mail.userId,
    kind: mail.kind,
    state: 'pending',
    bodySealed: deps.secretBox.seal(JSON.stringify(message)),
    attempts: 0,
    nextAttemptAt: now,
    expiresAt: mail.expiresAt,
    lastError: null,
    recipientHash,
    createdAt: now,
    updatedAt: now,
  });
  return 0;
}
