import type { Mailer } from '../domain/mail.ts';
import type { Logger } from '../domain/ports.ts';

/**
 * For installations without a mail server: the operator reads the link in the log and hands it on.
 * This is the one place where such a link is logged, and meant to be; the log's redaction, which
 * goes by field names and shapes, leaves `link` alone.
 */
export function createLogMailer(logger: Logger): Mailer {
  return {
    send: async ({ to, subject, link }) => {
      logger.info(
        { to, subject, ...(link === null ? {} : { link }) },
        'no mail server configured; mail not sent',
      );
    },
  };
}
