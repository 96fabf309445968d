/** One mail to one address. The texts may hold a token: never logged but on purpose. */
export interface MailMessage {
  /** Stable over retries, so that a repeat is recognised as the same mail. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** What the mail asks its reader to open; null when it only tells something. */
  readonly link: string | null;
}

/** Hands mails to whoever delivers them. */
export interface Mailer {
  /**
   * Resolves once the mail is in other hands.
   * @throws {MailRefused} when trying again is of no use; anything else may pass.
   */
  send(message: MailMessage, signal: AbortSignal): Promise<void>;
}

/** The mail server will never take this mail, such as for an address that does not exist. */
export class MailRefused extends Error {
  override name = 'MailRefused';
}
