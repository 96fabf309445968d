import { sql, type Selectable } from 'kysely';
import { MODES, UTXO_CODES } from '../../domain/coins.ts';
import { erasedEmail, erasedEmailKey, type Redactor } from '../../domain/erasure.ts';
import type { CustomerRow } from '../schema/catalog.ts';
import type { WebhookLogRow } from '../schema/webhooks.ts';
import { compressJson } from '../sqlite/compressed-json.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { preparedList } from '../sqlite/prepared.ts';

/** The payments of a customer, in every shop and mode. */
export async function listPaymentIds(db: Db, customerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('payments')
    .select('id')
    // By the index of customers, shop by shop, because a shop may have changed its owner since.
    .where('merchantId', 'in', (eb) => eb.selectFrom('merchants').select('id'))
    .where('mode', 'in', ['live', 'sandbox'])
    .where('customerId', '=', customerId)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Erases a customer's personal data in a payment and everything stored about it: its events, which include
 * the bodies of undelivered webhooks, exchanges with shops, refund links, the shop's note, labels of its money and an unsent receipt. Money,
 * addresses, transactions and ids stay.
 */
export async function erasePayment(
  tx: Tx,
  paymentId: string,
  redactor: Redactor,
  now: number,
): Promise<void> {
  await eraseTerms(tx, paymentId, redactor);
  // The shop may have written anything about the payer there.
  await tx.deleteFrom('payment_notes').where('paymentId', '=', paymentId).execute();
  await eraseLabels(tx, paymentId);
  await eraseEvents(tx, paymentId, redactor);
  await eraseExchanges(tx, paymentId, redactor);
  const links = await eraseReasons(tx, paymentId, redactor);
  await eraseNotices(tx, [paymentId, ...links], redactor);
  await tx
    .updateTable('mails')
    .set({ state: 'failed', bodySealed: null, lastError: 'customer erased', updatedAt: now })
    .where('id', '=', `receipt_${paymentId}`)
    .where('state', '=', 'pending')
    .execute();
}

/** Imported labels of the outputs, addresses and transactions of a payment and its refunds: any text about the payer. */
async function eraseLabels(tx: Tx, paymentId: string): Promise<void> {
  const outputs = await tx
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .select(['outputs.txid', 'outputs.vout', 'addresses.address', 'outputs.merchantId'])
    .where('outputs.paymentId', '=', paymentId)
    .execute();
  const given = await tx
    .selectFrom('addresses')
    .select(['address', 'merchantId'])
    .where('paymentId', '=', paymentId)
    .execute();
  const refunds = await tx
    .selectFrom('refunds')
    .innerJoin('send_versions', 'send_versions.sendId', 'refunds.sendId')
    .innerJoin('sends', 'sends.id', 'refunds.sendId')
    .select(['send_versions.txid', 'sends.merchantId'])
    .where('refunds.paymentId', '=', paymentId)
    .execute();
  const refs = new Set([
    ...outputs.flatMap(({ txid, vout, address }) => [txid, `${txid}:${vout}`, address]),
    ...given.map(({ address }) => address),
    ...refunds.map(({ txid }) => txid),
  ]);
  const [row] = [...given, ...outputs, ...refunds];
  if (row === undefined) return;
  await tx
    .deleteFrom('wallet_labels')
    .where('merchantId', '=', row.merchantId)
    .where('coin', 'in', UTXO_CODES)
    .where('mode', 'in', MODES)
    .where('kind', 'in', ['tx', 'addr', 'output'])
    .where('ref', 'in', [...refs])
    .execute();
}

async function eraseTerms(tx: Tx, paymentId: string, redactor: Redactor): Promise<void> {
  const row = await tx
    .selectFrom('payments')
    .select(['metadataJson', 'customFieldsJson', 'description', 'orderLabel', 'linesJson'])
    .select(['successUrl', 'returnUrl'])
    .where('id', '=', paymentId)
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('payments')
    .set({
      metadataJson: through(row.metadataJson, redactor.freeJson),
      customFieldsJson: through(row.customFieldsJson, redactor.freeJson),
      description: through(row.description, redactor.text),
      orderLabel: through(row.orderLabel, redactor.text),
      linesJson: through(row.linesJson, redactor.json),
      successUrl: through(row.successUrl, redactor.url),
      returnUrl: through(row.returnUrl, redactor.url),
    })
    .where('id', '=', paymentId)
    .execute();
}

function through(value: string | null, change: (given: string) => string): string | null {
  return value === null ? null : change(value);
}

/** @returns the refund links of the payment. */
async function eraseReasons(tx: Tx, paymentId: string, redactor: Redactor): Promise<string[]> {
  const links = await tx
    .selectFrom('refund_links')
    .select(['id', 'reason'])
    .where('paymentId', '=', paymentId)
    .execute();
  for (const { id, reason } of links) {
    if (reason === null) continue;
    const erased = redactor.text(reason);
    await tx.updateTable('refund_links').set({ reason: erased }).where('id', '=', id).execute();
  }
  return links.map(({ id }) => id);
}

/** @param subjects matched with the first word of a notice's subject */
async function eraseNotices(tx: Tx, subjects: readonly string[], redactor: Redactor): Promise<void> {
  const notices = await tx
    .selectFrom('notices')
    .select(['key', 'detailsJson'])
    .where(sql<string>`substr(subject, 1, instr(subject || ' ', ' ') - 1)`, 'in', subjects)
    .execute();
  for (const { key, detailsJson: details } of notices) {
    const erased = redactor.json(details);
    await tx.updateTable('notices').set({ detailsJson: erased }).where('key', '=', key).execute();
  }
}

async function eraseEvents(tx: Tx, paymentId: string, redactor: Redactor): Promise<void> {
  const events = await tx
    .selectFrom('events')
    .select(['seq', 'bodyJson'])
    .where('paymentId', '=', paymentId)
    .execute();
  for (const { seq, bodyJson: body } of events) {
    const erased = through(body, redactor.json);
    if (erased === body && body !== null) continue;
    // A damaged body may contain anything.
    const bodyJson = erased === null ? null : compressJson(erased);
    await tx.updateTable('events').set({ bodyJson }).where('seq', '=', seq).execute();
  }
}

/** Erases personal data in the exchanges with shops about a payment. */
export async function eraseExchanges(tx: Tx, paymentId: string, redactor: Redactor): Promise<void> {
  const logs = await tx
    .selectFrom('webhook_logs')
    .select(['id', 'exchangeJson', 'endpoint', 'error'])
    .where('paymentId', '=', paymentId)
    .execute();
  await eraseLogs(tx, logs, redactor);
}

type Exchange = Pick<Selectable<WebhookLogRow>, 'id' | 'exchangeJson' | 'endpoint' | 'error'>;

async function eraseLogs(tx: Tx, logs: readonly Exchange[], redactor: Redactor): Promise<void> {
  for (const { id, error, ...log } of logs) {
    // A damaged exchange may contain anything.
    const exchange = log.exchangeJson === null ? null : redactor.json(withoutBody(log.exchangeJson));
    await tx
      .updateTable('webhook_logs')
      .set({
        exchangeJson: exchange === null ? null : compressJson(exchange),
        endpoint: redactor.url(log.endpoint),
        error: error === null ? null : redactor.text(error),
      })
      .where('id', '=', id)
      .execute();
  }
}

/** Erases personal data in the subscriptions of a customer, in their events and the exchanges about these. */
export async function eraseSubscriptions(
  tx: Tx,
  customerId: string,
  redactor: Redactor,
  now: number,
): Promise<void> {
  const rows = await tx
    .selectFrom('subscriptions')
    .select(['id', 'merchantId', 'metadataJson', 'successUrl', 'returnUrl'])
    .where('customerId', '=', customerId)
    .execute();
  for (const { id, merchantId, ...row } of rows) {
    await tx
      .updateTable('subscriptions')
      .set({
        metadataJson: through(row.metadataJson, redactor.freeJson),
        successUrl: through(row.successUrl, redactor.url),
        returnUrl: through(row.returnUrl, redactor.url),
        email: null,
        // The page of an erased customer is not found any more.
        portalTokenHash: null,
        portalTokenSealed: null,
      })
      .where('id', '=', id)
      .execute();
    await eraseNotes(tx, { merchantId, subscriptionId: id }, redactor);
    await eraseMails(tx, id, now);
  }
}

/** Mails that were not sent yet; their ids begin with that of the subscription. */
async function eraseMails(tx: Tx, subscriptionId: string, now: number): Promise<void> {
  await tx
    .updateTable('mails')
    .set({ state: 'failed', bodySealed: null, lastError: 'customer erased', updatedAt: now })
    .where('id', 'like', `${subscriptionId}/%`)
    .where('state', '=', sql.lit('pending'))
    .execute();
}

/** Only events of this type have words of the shop. */
const NOTED = 'subscription.updated';

async function eraseNotes(
  tx: Tx,
  { merchantId, subscriptionId }: { readonly merchantId: string; readonly subscriptionId: string },
  redactor: Redactor,
): Promise<void> {
  const events = await tx
    .selectFrom('events')
    .select(['seq', 'id', 'bodyJson'])
    .where('merchantId', '=', merchantId)
    .where('type', '=', NOTED)
    .where('bodyJson', 'is not', null)
    .execute();
  for (const { seq, id, bodyJson: body } of events) {
    // A damaged body may contain anything.
    if (body?.includes(`"${subscriptionId}"`) === false) continue;
    const bodyJson = body === null ? null : compressJson(redactor.json(body));
    await tx.updateTable('events').set({ bodyJson }).where('seq', '=', seq).execute();
    const logs = await tx
      .selectFrom('webhook_logs')
      .select(['id', 'exchangeJson', 'endpoint', 'error'])
      .where('deliveryId', 'in', (eb) => eb.selectFrom('deliveries').select('id').where('eventId', '=', id))
      .execute();
    await eraseLogs(tx, logs, redactor);
  }
}

/** A shop's answer may repeat anything that was sent to it. */
function withoutBody(exchange: string): string {
  const { request, response } = JSON.parse(exchange) as { request: object; response: object };
  return JSON.stringify({ request, response: { ...response, body: '' } });
}

/** The subset of these payments whose customer was erased. */
export async function listErasedPayments(db: Db, paymentIds: readonly string[]): Promise<Set<string>> {
  const rows = await erasedAmong(db, {}, paymentIds);
  return new Set(rows.map(({ id }) => id));
}

const erasedAmong = preparedList((db, _param, paymentIds) =>
  db
    .selectFrom('payments')
    .innerJoin('customers', 'customers.id', 'payments.customerId')
    .select('payments.id')
    .where('payments.id', 'in', paymentIds)
    .where('customers.emailKey', '=', sql<string>`${erasedEmailKey('')} || customers.id`),
);

/** Anonymises a customer. Its payments keep its id; the address becomes available to another customer. */
export async function anonymise(tx: Tx, id: string, now: number): Promise<CustomerRow> {
  return tx
    .updateTable('customers')
    .set({
      email: erasedEmail(id),
      emailKey: erasedEmailKey(id),
      metadataJson: '{}',
      updatedAt: now,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export interface SealedAnswer {
  readonly rowid: number;
  readonly bodySealed: string | null;
}

/** Stored answers about customers and payments, after one of them; answers about sends contain neither. */
export async function storedAnswersAfter(
  db: Db,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<SealedAnswer[]> {
  return db
    .selectFrom('idempotency')
    .select([sql<number>`rowid`.as('rowid'), 'bodySealed'])
    .where(sql<number>`rowid`, '>', after)
    .where('bodySealed', 'is not', null)
    .where('route', 'not like', '% /merchant/wallet/%')
    .orderBy(sql`rowid`)
    .limit(limit)
    .execute();
}

/** Replaces a stored answer, unless its row was deleted in the meantime. */
export async function replaceStoredAnswer(tx: Tx, rowid: number, bodySealed: string): Promise<void> {
  await tx
    .updateTable('idempotency')
    .set({ bodySealed })
    .where(sql<number>`rowid`, '=', rowid)
    .execute();
}
