import { sql } from 'kysely';
import { COINS, type ChainId, type Mode } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';

/** A merchant's search text. Everything is taken literally. */
export interface PaymentSearch {
  readonly text: string;
  /** The text as the key of an e-mail address. */
  readonly emailKey: string;
  /** The owner of the customers to search. */
  readonly userId: string;
  /** The chains on which the text is an address, with its watch key. */
  readonly watchKeys: readonly (ChainId & { readonly watchKey: string })[];
}

/** Appended to a prefix, sorts after every text with that prefix. */
const HIGHEST = '\u{10FFFF}';
/** Most customers matched by the start of their address: more than anyone would read through. */
const MAX_CUSTOMERS = 200;
/** Most payments found by one criterion. */
const MAX_FOUND = 1000;

interface Shop {
  readonly merchantId: string;
  readonly mode: Mode;
}

/** The indexed columns of a payment: enough to filter and to sort. */
const KNOWN = ['payments.id', 'payments.created_at', 'payments.status', 'payments.offered'] as const;

/**
 * The merchant's payments that a text names: by payment id, start of the order id, customer id,
 * start of the customer's e-mail address, transaction (also of a refund) or address. Each is a
 * look-up in an index, and none finds more than a bounded number, however little was typed.
 */
export function paymentsNamed(db: Db, shop: Shop, search: PaymentSearch) {
  const own = db
    .selectFrom('payments')
    .where('payments.merchant_id', '=', shop.merchantId)
    .where('payments.mode', '=', shop.mode)
    .select(KNOWN);
  const { text } = search;
  const customers = db
    .selectFrom('customers')
    .where('user_id', '=', search.userId)
    .where('email_key', '>=', search.emailKey)
    .where('email_key', '<', search.emailKey + HIGHEST)
    .orderBy('email_key')
    .limit(MAX_CUSTOMERS)
    .select('id');
  // Order ids mostly count up: the last of them are the newest.
  const ordered = own
    .where('payments.order_id', '>=', text)
    .where('payments.order_id', '<', text + HIGHEST)
    .orderBy('payments.order_id', 'desc')
    .limit(MAX_FOUND);
  const ofCustomer = own
    .where('payments.customer_id', '=', text)
    .orderBy('payments.created_at', 'desc')
    .limit(MAX_FOUND);
  const ofCustomers = own.where('payments.customer_id', 'in', customers).limit(MAX_FOUND);
  // An id, a hash or an address matches few payments: look them up directly.
  let few = db
    .selectNoFrom(sql<string>`${text}`.as('id'))
    .union(paidBy(db, shop, text))
    .union(refundedBy(db, shop, text));
  if (search.watchKeys.length > 0) few = few.union(askedAt(db, shop, search.watchKeys));
  const named = db
    .selectFrom('payments')
    .where('payments.id', 'in', few)
    .where(checked('payments.merchant_id'), '=', shop.merchantId)
    .where(checked('payments.mode'), '=', shop.mode)
    .select(KNOWN);
  const others = named
    .union(db.selectFrom(ofCustomer.as('of_customer')).selectAll())
    .union(db.selectFrom(ofCustomers.as('of_customers')).selectAll());
  // No payment twice. Orders are the many: they are compared only where something else was found, too.
  const alsoOrdered = db.selectFrom(ordered.as('also_ordered')).select('also_ordered.id');
  return db
    .selectFrom(ordered.as('ordered'))
    .selectAll()
    .unionAll(db.selectFrom(others.as('others')).selectAll().where('others.id', 'not in', alsoOrdered));
}

/** Hashes are hexadecimal in lower case, save Solana's; people copy them in either. */
function spellings(hash: string): string[] {
  return [...new Set([hash, hash.toLowerCase()])];
}

/**
 * A column for checking rows, never for looking them up: as a plain column it would lead the planner to
 * scan all of a merchant's rows instead of looking up the one hash.
 */
function checked(column: string) {
  return sql<string>`${sql.ref(column)} || ''`;
}

function paidBy(db: Db, { merchantId, mode }: Shop, hash: string) {
  return db
    .selectFrom('outputs')
    .where('outputs.coin', 'in', COINS)
    .where('outputs.mode', '=', mode)
    .where('outputs.txid', 'in', spellings(hash))
    .where(checked('outputs.merchant_id'), '=', merchantId)
    .where('outputs.payment_id', 'is not', null)
    .select(sql<string>`outputs.payment_id`.as('id'));
}

function refundedBy(db: Db, { merchantId, mode }: Shop, hash: string) {
  return db
    .selectFrom('send_versions')
    .innerJoin('refunds', 'refunds.send_id', 'send_versions.send_id')
    .innerJoin('sends', 'sends.id', 'send_versions.send_id')
    .where('send_versions.coin', 'in', COINS)
    .where('send_versions.mode', '=', mode)
    .where('send_versions.txid', 'in', spellings(hash))
    .where(checked('sends.merchant_id'), '=', merchantId)
    .select('refunds.payment_id as id');
}

function askedAt(db: Db, { merchantId, mode }: Shop, watchKeys: PaymentSearch['watchKeys']) {
  return db
    .selectFrom('addresses')
    .where('addresses.coin', 'in', COINS)
    .where('addresses.mode', '=', mode)
    .where(
      'addresses.watch_key',
      'in',
      watchKeys.map(({ watchKey }) => watchKey),
    )
    .where(checked('addresses.merchant_id'), '=', merchantId)
    .where('addresses.payment_id', 'is not', null)
    .select(sql<string>`addresses.payment_id`.as('id'));
}
