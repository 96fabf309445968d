import { sql, type Expression, type SqlBool } from 'kysely';
import { COINS, type Mode } from '../../domain/coins.ts';
import {
  addressBegins,
  checked,
  coinAmountBegins,
  hashBegins,
  isAmount,
  isHashPrefix,
} from '../search-terms.ts';
import type { Db } from '../sqlite/database.ts';

/** A merchant's search text. Everything is matched literally. */
export interface PaymentSearch {
  readonly text: string;
  /** The text as the key of an email address. */
  readonly emailKey: string;
  /** The owner of the customers to search. */
  readonly userId: string;
}

interface Shop {
  readonly merchantId: string;
  readonly mode: Mode;
}

/**
 * Whether a text names a payment of a shop: by any part of its order id, its order label, the shop's note or the
 * customer's email address, by the whole payment id or customer id, by the beginning of an address or transaction (of a
 * refund, too), or by an amount: its price, or the amount of one output. Scans the shop's payments.
 */
export function isNamed(db: Db, shop: Shop, search: PaymentSearch): Expression<SqlBool> {
  const { text } = search;
  const customers = db
    .selectFrom('customers')
    .where('userId', '=', search.userId)
    .where(sql<boolean>`instr(email_key, ${search.emailKey}) > 0`)
    .select('id');
  const ways = [
    ...foldings(text).flatMap((part) => [
      sql<SqlBool>`instr(lower(payments.order_id), ${part}) > 0`,
      sql<SqlBool>`instr(lower(payments.order_label), ${part}) > 0`,
    ]),
    sql<SqlBool>`payments.id in ${paymentsWithNote(db, shop, text)}`,
    sql<SqlBool>`payments.id = ${text}`,
    sql<SqlBool>`payments.customer_id = ${text}`,
    sql<SqlBool>`payments.customer_id in ${customers}`,
  ];
  if (isHashPrefix(text)) {
    const onChain = paidBy(db, shop, text)
      .unionAll(refundedBy(db, shop, text))
      .unionAll(askedAt(db, shop, text));
    ways.push(sql<SqlBool>`payments.id in ${onChain}`);
  }
  if (isAmount(text)) {
    ways.push(costs(text), sql<SqlBool>`payments.id in ${paymentsWithOutput(db, shop, text)}`);
  }
  return sql<SqlBool>`(${sql.join(ways, sql` or `)})`;
}

/**
 * SQLite folds the case of ASCII letters only: other alphabets match as typed, in all lower case or in all
 * upper case.
 */
function foldings(text: string): string[] {
  const spellings = [text, text.toLowerCase(), text.toUpperCase()];
  const folded = spellings.map((spelling) => spelling.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()));
  return [...new Set(folded)];
}

/**
 * A price that begins with these digits; without a decimal point they are its whole integer part, so that 12
 * does not match 120.
 */
function costs(text: string) {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = `${whole.replace(/^0+/, '')}.${fraction}`;
  const price = sql`ltrim(payments.amount, '0')`;
  // Trailing zeros may be omitted: 12.5 matches 12.50.
  const written = sql`${price} || iif(instr(${price}, '.') > 0, '', '.') || '0000'`;
  return sql<SqlBool>`instr(${written}, ${digits}) = 1`;
}

/** Payments with an output of these digits of a coin, or with further decimals. */
function paymentsWithOutput(db: Db, { merchantId, mode }: Shop, text: string) {
  return db
    .selectFrom('outputs')
    .where('outputs.merchantId', '=', merchantId)
    .where('outputs.mode', '=', mode)
    .where('outputs.paymentId', 'is not', null)
    .where(coinAmountBegins({ amount: 'outputs.amount', coin: 'outputs.coin' }, text))
    .select(sql<string>`outputs.payment_id`.as('id'));
}

/** Reads the notes of the shop once for a search, not for each payment. */
function paymentsWithNote(db: Db, { merchantId, mode }: Shop, text: string) {
  const ways = foldings(text).map((part) => sql<SqlBool>`instr(lower(payment_notes.note), ${part}) > 0`);
  return db
    .selectFrom('payment_notes')
    .where('payment_notes.merchantId', '=', merchantId)
    .where('payment_notes.mode', '=', mode)
    .where(sql<SqlBool>`(${sql.join(ways, sql` or `)})`)
    .select(sql<string>`payment_notes.payment_id`.as('id'));
}

function paidBy(db: Db, { merchantId, mode }: Shop, hash: string) {
  return db
    .selectFrom('outputs')
    .where('outputs.coin', 'in', COINS)
    .where('outputs.mode', '=', mode)
    .where(hashBegins('outputs.txid', hash))
    .where(checked('outputs.merchantId'), '=', merchantId)
    .where('outputs.paymentId', 'is not', null)
    .select(sql<string>`outputs.payment_id`.as('id'));
}

function refundedBy(db: Db, { merchantId, mode }: Shop, hash: string) {
  return db
    .selectFrom('send_versions')
    .innerJoin('refunds', 'refunds.sendId', 'send_versions.sendId')
    .innerJoin('sends', 'sends.id', 'send_versions.sendId')
    .where('send_versions.coin', 'in', COINS)
    .where('send_versions.mode', '=', mode)
    .where(hashBegins('send_versions.txid', hash))
    .where(checked('sends.merchantId'), '=', merchantId)
    .select('refunds.paymentId as id');
}

function askedAt(db: Db, { merchantId, mode }: Shop, prefix: string) {
  return db
    .selectFrom('addresses')
    .where('addresses.merchantId', '=', merchantId)
    .where('addresses.mode', '=', mode)
    .where(addressBegins('addresses.address', prefix))
    .where('addresses.paymentId', 'is not', null)
    .select(sql<string>`addresses.payment_id`.as('id'));
}
