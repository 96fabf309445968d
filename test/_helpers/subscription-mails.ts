/** Mails to the payers of subscriptions of a SubscriptionWorld. */
import { sql } from 'kysely';
import { subscriptionMail } from '../../src/http/subscription-page/mail.ts';
import type { MailText } from '../../src/usecases/mail/mail-texts.ts';
import {
  queueSubscriptionMails,
  type SubscriptionMailDeps,
} from '../../src/usecases/subscription-mails/queue-subscription-mails.ts';
import type { SubscriptionWorld } from './subscription-world.ts';

const BASE_URL = 'https://pay.example.com';

export interface WrittenMail extends MailText {
  readonly id: string;
  readonly to: string;
}

/** Writes the mails that are due. */
export async function writeMails(
  { deps }: SubscriptionWorld,
  changed: Partial<SubscriptionMailDeps> = {},
): Promise<void> {
  await queueSubscriptionMails(
    { ...deps, baseUrl: BASE_URL, hasMailServer: true, ...changed },
    (facts) => subscriptionMail(facts, BASE_URL),
    new AbortController().signal,
  );
}

/** All mails in the outbox, in the order in which they were written. */
export async function readMails({ deps }: SubscriptionWorld): Promise<WrittenMail[]> {
  const rows = await deps.db
    .selectFrom('mails')
    .select('bodySealed')
    .where('kind', 'in', ['subscription', 'subscription-start'])
    .orderBy(sql`rowid`)
    .execute();
  return rows.map(({ bodySealed }) => JSON.parse(bodySealed ?? '{}') as WrittenMail);
}
