import { createRedactor, isErased, type Redactor } from '../../domain/erasure.ts';
import { AppError } from '../../domain/errors.ts';
import { parseExact } from '../../domain/exact-json.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { findUserCustomer } from '../../store/catalog/customers.ts';
import {
  anonymise,
  eraseExchanges,
  erasePayment,
  eraseSubscriptions,
  storedAnswersAfter,
  listPaymentIds,
  replaceStoredAnswer,
} from '../../store/catalog/erase-customer.ts';
import type { CustomerRow } from '../../store/schema/catalog.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';

export interface EraseCustomerDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
}

/** Payments per transaction, so that other writers of the daemon can proceed. */
const PAYMENTS = 20;
const PAYMENT_ID = /\bpay_[0-9A-Za-z]+/g;
/** Stored answers opened per batch. */
const ANSWERS = 500;

/**
 * Erases the personal data of a customer: email, name and metadata, with their copies in payments, events,
 * webhook logs, unsent mails and stored answers. The books stay. The customer is anonymised last, so that the
 * next request restarts an erasure that a crash interrupted; a repeated request erases data received since.
 * @throws {AppError} CUSTOMER_NOT_FOUND, also for one of another account
 */
export async function eraseCustomer(
  deps: EraseCustomerDeps,
  { userId, customerId }: { readonly userId: string; readonly customerId: string },
): Promise<void> {
  const { db, clock, logger } = deps;
  const customer = await ownCustomer(db, userId, customerId);
  const redactor = redactorFor(customer);
  const erased = new Set<string>();
  const rest = (ids: readonly string[]): string[] => ids.filter((id) => !erased.has(id));
  for (let ids = await listPaymentIds(db, customerId); ids.length > PAYMENTS; ids = rest(ids)) {
    const batch = ids.slice(0, PAYMENTS);
    await db.transaction((tx) => erasePayments(tx, batch, redactor, clock.now()));
    for (const id of batch) erased.add(id);
  }
  // Once before the address is erased, because a crash may follow, and once after, for answers stored in the
  // meantime.
  await eraseAnswers(deps, { customerId, redactor });
  await db.transaction(async (tx) => {
    const ids = await listPaymentIds(tx, customerId);
    await erasePayments(tx, rest(ids), redactor, clock.now());
    await eraseSubscriptions(tx, customerId, redactor, clock.now());
    if (!isErased(customer)) await anonymise(tx, customerId, clock.now());
    tx.afterCommit(() =>
      logger.info({ customerId, payments: ids.length }, 'personal data of a customer erased'),
    );
  });
  // Answers of shops received between the erasure of their payment and that of the customer.
  const early = [...erased];
  for (let from = 0; from < early.length; from += PAYMENTS)
    await db.transaction(async (tx) => {
      for (const id of early.slice(from, from + PAYMENTS)) await eraseExchanges(tx, id, redactor);
    });
  await eraseAnswers(deps, { customerId, redactor });
}

async function ownCustomer(db: Db, userId: string, customerId: string): Promise<CustomerRow> {
  const customer = await findUserCustomer(db, userId, customerId);
  if (customer === undefined) throw new AppError('CUSTOMER_NOT_FOUND', 'No such customer');
  return customer;
}

function redactorFor({ id, email, metadataJson: json }: CustomerRow): Redactor {
  return createRedactor({ id, email, metadata: parseExact(json) as Record<string, unknown> });
}

async function erasePayments(tx: Tx, ids: readonly string[], redactor: Redactor, now: number): Promise<void> {
  for (const id of ids) await erasePayment(tx, id, redactor, now);
}

/** Answers stored for repeats are sealed, so their subject is known only after opening. */
async function eraseAnswers(
  { db, secretBox }: EraseCustomerDeps,
  { customerId, redactor }: { readonly customerId: string; readonly redactor: Redactor },
): Promise<void> {
  const paymentIds = new Set(await listPaymentIds(db, customerId));
  const isAbout = (json: string): boolean =>
    json.includes(customerId) || [...json.matchAll(PAYMENT_ID)].some(([id]) => paymentIds.has(id));
  let after = 0;
  for (;;) {
    const rows = await storedAnswersAfter(db, { after, limit: ANSWERS });
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.rowid;
    for (const { rowid, bodySealed: sealed } of rows) {
      const json = sealed === null ? '' : secretBox.open(sealed);
      if (!isAbout(json)) continue;
      const bodySealed = secretBox.seal(redactor.json(json));
      await db.transaction((tx) => replaceStoredAnswer(tx, rowid, bodySealed));
    }
  }
}
