/** Mails to the payers of subscriptions. */
export { queueSubscriptionMails } from './queue-subscription-mails.ts';
export type { SubscriptionMailFacts } from './mail-facts.ts';
