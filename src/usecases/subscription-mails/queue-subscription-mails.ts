import { isErased } from '../../domain/erasure.ts';
import type { Logger } from '../../domain/ports.ts';
import { nextPastDueMailAt } from '../../domain/subscription/mails.ts';
import { type Language, parseLanguage } from '../../i18n/languages.ts';
import { findUserCustomer } from '../../store/catalog/customers.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { SubscriptionMailRow, SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { openInvoices } from '../../store/subscriptions/invoices.ts';
import {
  countMailedStarts,
  dueSubscriptionMails,
  postponeSubscriptionMails,
  subscriptionsToMail,
  updateSubscriptionMail,
} from '../../store/subscriptions/mails.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';
import { choosePayerMailbox } from '../checkout/index.ts';
import { readMerchant } from '../invoices/index.ts';
import { type MailText, queueMail, type QueueMailDeps } from '../mail/index.ts';
import { portalUrl, readPayerView } from '../subscriptions/index.ts';
import { chooseMails, isStartedByStranger, type SubscriptionMailFacts } from './mail-facts.ts';

export interface SubscriptionMailDeps extends QueueMailDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly baseUrl: string;
  /** Whether this server can send mails. */
  readonly hasMailServer: boolean;
}

export type WriteSubscriptionMail = (facts: SubscriptionMailFacts) => MailText;

/** Subscriptions per run; the next run continues. */
const BATCH = 100;
const RETRY_MS = 60_000;
const DAY_MS = 86_400_000;
/** A mail that could not be sent within this time is dropped. */
export const LIFETIME_MS = 2 * DAY_MS;
/** A mail that waits for a limit is dropped so long after its occasion. */
const LIMIT_WAIT_MAX_MS = 7 * DAY_MS;
/** Per shop and day: mails about subscriptions that links started and that are not paid. */
const STARTS_PER_DAY = 100;

/**
 * Writes the due mails to payers into the outbox: all of one subscription as one mail, in the transaction that marks
 * them as done. The address of the payer's page is in the sealed text only.
 * @returns the number of subscriptions that were processed
 */
export async function queueSubscriptionMails(
  deps: SubscriptionMailDeps,
  write: WriteSubscriptionMail,
  signal: AbortSignal,
): Promise<number> {
  const ids = await subscriptionsToMail(deps.db, deps.clock.now(), BATCH);
  for (const id of ids) {
    if (signal.aborted) break;
    await queueOne(deps, id, write);
  }
  return ids.length;
}

async function queueOne(deps: SubscriptionMailDeps, id: string, write: WriteSubscriptionMail): Promise<void> {
  const { db, logger } = deps;
  const now = deps.clock.now();
  try {
    await db.transaction(async (tx) => queueMerged(tx, deps, id, write));
  } catch (error) {
    logger.error({ subscriptionId: id, err: error }, 'mail about a subscription failed; will retry');
    const until = now + RETRY_MS;
    await db.transaction(async (tx) => postponeSubscriptionMails(tx, { subscriptionId: id, now, until }));
  }
}

async function queueMerged(
  tx: Tx,
  deps: SubscriptionMailDeps,
  id: string,
  write: WriteSubscriptionMail,
): Promise<void> {
  const now = deps.clock.now();
  const row = await findSubscription(tx, id);
  if (row === undefined) throw new Error(`subscription ${id} does not exist`);
  const due = await dueSubscriptionMails(tx, id, now);
  const { waitMs, mailed } = await queueMailAbout(tx, deps, { row, due, write });
  for (const mail of due) {
    const isWaiting = waitMs > 0 && now - mail.createdAt < LIMIT_WAIT_MAX_MS;
    const dueAt = isWaiting ? now + waitMs : await nextMailAt(tx, row, mail, now);
    await updateSubscriptionMail(tx, {
      ...mail,
      dueAt,
      mailed: mail.mailed + (mailed.includes(mail) ? 1 : 0),
    });
  }
}

interface Queued {
  /** Time until a limit allows the mail, ms; 0: none prevents it. */
  readonly waitMs: number;
  readonly mailed: readonly SubscriptionMailRow[];
}

const NOT_MAILED: Queued = { waitMs: 0, mailed: [] };

async function queueMailAbout(
  tx: Tx,
  deps: SubscriptionMailDeps,
  {
    row,
    due,
    write,
  }: {
    readonly row: SubscriptionRow;
    readonly due: readonly SubscriptionMailRow[];
    readonly write: WriteSubscriptionMail;
  },
): Promise<Queued> {
  const now = deps.clock.now();
  const merchant = await readMerchant(tx, row.merchantId);
  const page = portalUrl(deps, row);
  if (!deps.hasMailServer || !merchant.mailsSubscribers || page === null) return NOT_MAILED;
  const view = await readPayerView({ ...deps, db: tx }, row);
  const mails = chooseMails(due, view, row);
  const main = mails.at(-1);
  const to = await findMailbox(tx, deps, merchant, row);
  if (main === undefined || to === null) return NOT_MAILED;
  const language = mailLanguage(row);
  const kinds = mails.map(({ kind }) => kind);
  const waitMs = await queueMail(tx, deps, {
    // The same after a restore, so that a mailbox that has it already recognises it.
    id: `${row.id}/${main.n}/${main.kind}/${main.mailed}`,
    userId: to.userId,
    to: to.email,
    kind: to.kind,
    text: write({ kinds, view, isNeverPaid: row.paidUntil === null, language, now, page }),
    expiresAt: now + LIFETIME_MS,
  });
  if (waitMs === 0) return { waitMs, mailed: mails };
  // The payer of a start is on the page of its payment.
  return isStartedByStranger(row) ? NOT_MAILED : { waitMs, mailed: [] };
}

/** The language of its mails; English where the shop has named none. */
export function mailLanguage({ locale }: Pick<SubscriptionRow, 'locale'>): Language {
  return (locale === null ? null : parseLanguage(locale)) ?? 'en';
}

/** Where mails about a subscription go; null: nowhere. */
export async function findMailbox(
  tx: Tx,
  deps: Pick<SubscriptionMailDeps, 'clock'>,
  merchant: MerchantRow,
  row: SubscriptionRow,
): Promise<{ email: string; userId: string | null; kind: 'subscription' | 'subscription-start' } | null> {
  const customer = await findUserCustomer(tx, merchant.userId, row.customerId);
  if (customer === undefined || isErased(customer)) return null;
  const kind = isStartedByStranger(row) ? 'subscription-start' : 'subscription';
  if (kind === 'subscription-start') {
    const of = { merchantId: merchant.id, since: deps.clock.now() - DAY_MS };
    if ((await countMailedStarts(tx, of)) >= STARTS_PER_DAY) return null;
  }
  const mailbox = await choosePayerMailbox(tx, deps, {
    email: row.email ?? customer.email,
    merchantId: merchant.id,
    isTest: row.mode === 'sandbox',
    kind,
  });
  return mailbox === null ? null : { ...mailbox, kind };
}

/** When an overdue invoice is mailed again; null for anything else. */
async function nextMailAt(
  tx: Tx,
  { id, timeZone }: SubscriptionRow,
  { kind, n }: SubscriptionMailRow,
  now: number,
): Promise<number | null> {
  if (kind !== 'past_due') return null;
  const invoice = (await openInvoices(tx, id)).find((each) => each.n === n);
  return invoice === undefined ? null : nextPastDueMailAt(timeZone, now, invoice.payBy);
}
