/** Mails to the payers of subscriptions. */
export { changePortalEmail, type ChangeEmailDeps } from './change-email.ts';
export { queueSubscriptionMails } from './queue-subscription-mails.ts';
export type { MailedKind, SubscriptionMailFacts } from './mail-facts.ts';
