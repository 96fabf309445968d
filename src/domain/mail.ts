/** One mail to one address. The texts may hold a token: never log them unintentionally. */
export interface MailMessage {
  /** Stable over retries, so that a repeat is recognised as the same mail. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The link the reader is asked to open; null for a mere notification. */
  readonly link: string | null;
  /** Switches mails like this off when it is posted to (RFC 8058); null where nothing does. */
  readonly unsubscribe: string | null;
}

/** Hands mails over for delivery. */
export interface Mailer {
  /**
   * Resolves once the mail is handed over.
   * @throws {MailRefused} when a retry is useless; any other error may be temporary.
   */
  send(message: MailMessage, signal: AbortSignal): Promise<void>;
}

/** The mail server refuses this mail for good, such as for an address that does not exist. */
export class MailRefused extends Error {
  override name = 'MailRefused';
}
