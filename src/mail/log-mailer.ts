import type { Mailer } from '../domain/mail.ts';
import type { Logger } from '../domain/ports.ts';

/**
 * For installations without a mail server: the operator reads the link in the log and passes it on. This is
 * the only place where such a link is logged on purpose; the log's redaction, which matches field names and
 * shapes, does not match `link`.
 */
export function createLogMailer(logger: Logger): Mailer {
  return {
    send: async ({ to, subject, link }) => {
      logger.info(
        { to, subject, ...(link === null ? {} : { link }) },
        'no mail server configured; email not sent',
      );
    },
  };
}
