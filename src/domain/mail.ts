/** One mail to one address. The texts may hold a token: never log them unintentionally. */
export interface MailMessage {
  /** Stable over retries, so that a repeat is recognised as the same mail. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The link that the recipient is asked to open; null for a plain notification. */
  readonly link: string | null;
  /** A POST to it unsubscribes from mails like this one (RFC 8058); null where that is not possible. */
  readonly unsubscribe: string | null;
  readonly attachments?: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly base64: string;
}

/** Hands mails to a mail server. */
export interface Mailer {
  /**
   * Resolves once the mail server has accepted the mail.
   * @throws {MailRefused} when a retry is useless; any other error may be temporary.
   */
  send(message: MailMessage, signal: AbortSignal): Promise<void>;
}

/** The mail server permanently rejects this mail, for example because the address does not exist. */
export class MailRefused extends Error {
  override name = 'MailRefused';
}
