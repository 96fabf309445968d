import { sql } from 'kysely';
import { erasedEmail, erasedEmailKey, type Redactor } from '../../domain/erasure.ts';
import type { CustomerRow } from '../schema/catalog.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { preparedList } from '../sqlite/prepared.ts';

/** The payments of a customer, in every shop and mode. */
export async function listPaymentIds(db: Db, customerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('payments')
    .select('id')
    // By the index of customers, shop by shop, because a shop may have changed its owner since.
    .where('merchant_id', 'in', (eb) => eb.selectFrom('merchants').select('id'))
    .where('mode', 'in', ['live', 'sandbox'])
    .where('customer_id', '=', customerId)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Erases a customer's personal data in a payment and everything stored about it: its events, which include
 * the bodies of undelivered webhooks, exchanges with shops, refund links and an unsent receipt. Money,
 * addresses, transactions and ids stay.
 */
export async function erasePayment(
  tx: Tx,
  paymentId: string,
  redactor: Redactor,
  now: number,
): Promise<void> {
  await eraseTerms(tx, paymentId, redactor);
  await eraseEvents(tx, paymentId, redactor);
  await eraseExchanges(tx, paymentId, redactor);
  const links = await eraseReasons(tx, paymentId, redactor);
  await eraseNotices(tx, [paymentId, ...links], redactor);
  await tx
    .updateTable('mails')
    .set({ state: 'failed', body_sealed: null, last_error: 'customer erased', updated_at: now })
    .where('id', '=', `receipt_${paymentId}`)
    .where('state', '=', 'pending')
    .execute();
}

async function eraseTerms(tx: Tx, paymentId: string, redactor: Redactor): Promise<void> {
  const row = await tx
    .selectFrom('payments')
    .select(['metadata_json', 'custom_fields_json', 'description', 'order_label', 'lines_json'])
    .select(['success_url', 'return_url'])
    .where('id', '=', paymentId)
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('payments')
    .set({
      metadata_json: through(row.metadata_json, redactor.freeJson),
      custom_fields_json: through(row.custom_fields_json, redactor.freeJson),
      description: through(row.description, redactor.text),
      order_label: through(row.order_label, redactor.text),
      lines_json: through(row.lines_json, redactor.json),
      success_url: through(row.success_url, redactor.url),
      return_url: through(row.return_url, redactor.url),
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
    .where('payment_id', '=', paymentId)
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
    .select(['key', 'details_json'])
    .where(sql<string>`substr(subject, 1, instr(subject || ' ', ' ') - 1)`, 'in', subjects)
    .execute();
  for (const { key, details_json: details } of notices) {
    const erased = redactor.json(details);
    await tx.updateTable('notices').set({ details_json: erased }).where('key', '=', key).execute();
  }
}

async function eraseEvents(tx: Tx, paymentId: string, redactor: Redactor): Promise<void> {
  const events = await tx
    .selectFrom('events')
    .select(['seq', 'body_json'])
    .where('payment_id', '=', paymentId)
    .execute();
  for (const { seq, body_json: body } of events) {
    const erased = redactor.json(body);
    if (erased === body) continue;
    await tx.updateTable('events').set({ body_json: erased }).where('seq', '=', seq).execute();
  }
}

/** Erases personal data in the exchanges with shops about a payment. */
export async function eraseExchanges(tx: Tx, paymentId: string, redactor: Redactor): Promise<void> {
  const logs = await tx
    .selectFrom('webhook_logs')
    .select(['id', 'request_json', 'response_json', 'endpoint', 'error'])
    .where('payment_id', '=', paymentId)
    .execute();
  for (const { id, error, ...log } of logs) {
    await tx
      .updateTable('webhook_logs')
      .set({
        request_json: redactor.json(log.request_json),
        response_json: redactor.json(withoutBody(log.response_json)),
        endpoint: redactor.url(log.endpoint),
        error: error === null ? null : redactor.text(error),
      })
      .where('id', '=', id)
      .execute();
  }
}

/** A shop's answer may repeat anything that was sent to it. */
function withoutBody(response: string): string {
  return JSON.stringify({ ...(JSON.parse(response) as object), body: '' });
}

/** The subset of these payments whose customer was erased. */
export async function listErasedPayments(db: Db, paymentIds: readonly string[]): Promise<Set<string>> {
  const rows = await erasedAmong(db, {}, paymentIds);
  return new Set(rows.map(({ id }) => id));
}

const erasedAmong = preparedList((db, _param, paymentIds) =>
  db
    .selectFrom('payments')
    .innerJoin('customers', 'customers.id', 'payments.customer_id')
    .select('payments.id')
    .where('payments.id', 'in', paymentIds)
    .where('customers.email_key', '=', sql<string>`${erasedEmailKey('')} || customers.id`),
);

/** Anonymises a customer. Its payments keep its id; the address becomes available to another customer. */
export async function anonymise(tx: Tx, id: string, now: number): Promise<CustomerRow> {
  return tx
    .updateTable('customers')
    .set({
      email: erasedEmail(id),
      email_key: erasedEmailKey(id),
      metadata_json: '{}',
      updated_at: now,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export interface SealedAnswer {
  readonly rowid: number;
  readonly body_sealed: string | null;
}

/** Stored answers about customers and payments, after one of them; answers about sends contain neither. */
export async function keptAnswersAfter(
  db: Db,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<SealedAnswer[]> {
  return db
    .selectFrom('idempotency')
    .select([sql<number>`rowid`.as('rowid'), 'body_sealed'])
    .where(sql<number>`rowid`, '>', after)
    .where('body_sealed', 'is not', null)
    .where('route', 'not like', '% /merchant/wallet/%')
    .orderBy(sql`rowid`)
    .limit(limit)
    .execute();
}

/** Replaces a stored answer, unless its row was deleted in the meantime. */
export async function replaceKeptAnswer(tx: Tx, rowid: number, bodySealed: string): Promise<void> {
  await tx
    .updateTable('idempotency')
    .set({ body_sealed: bodySealed })
    .where(sql<number>`rowid`, '=', rowid)
    .execute();
}
