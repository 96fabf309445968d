/** The outbox of emails: texts, limits per recipient, delivery with retries. */
export { deliverMails } from './deliver-mails.ts';
export { nameForBody, nameForSubject } from './sanitize-name.ts';
export { escapeHtml, hostName, htmlMail } from './html-mail.ts';
export { invitationMail } from './invitation-mail.ts';
export { countMails, MAIL_WINDOW_MS } from './mail-limits.ts';
export { accountTexts, linkMail, type MailText, type NoticeKind, noticeMail } from './mail-texts.ts';
export { safeOrderName } from './safe-order-name.ts';
export { queueMail, type QueueMailDeps } from './queue-mail.ts';
