import { sql, type Expression, type SqlBool } from 'kysely';
import { COIN_DEFINITIONS, COINS, type Mode } from '../../domain/coins.ts';
import { parseDecimal } from '../../domain/money.ts';
import type { Db } from '../sqlite/database.ts';

/** A merchant's search text. Everything is taken literally. */
export interface PaymentSearch {
  readonly text: string;
  /** The text as the key of an e-mail address. */
  readonly emailKey: string;
  /** The owner of the customers to search. */
  readonly userId: string;
}

interface Shop {
  readonly merchantId: string;
  readonly mode: Mode;
}

/** Appended to a prefix, sorts after every text with that prefix. */
const HIGHEST = '\u{10FFFF}';
/** Shorter ones are the start of too many hashes and addresses to tell anything. */
const HASH_PREFIX = /^[0-9a-z]{6,}$/i;
const AMOUNT = /^\d{1,12}(\.\d{0,18})?$/;

/**
 * Whether a text names a payment of a shop: by any part of its order id or of the customer's e-mail address, by the
 * whole payment id or customer id, by the beginning of an address or transaction (also of a refund), or by an amount:
 * its price, or what arrived in one output. Looks at each of the shop's payments.
 */
export function isNamed(db: Db, shop: Shop, search: PaymentSearch): Expression<SqlBool> {
  const { text } = search;
  const customers = db
    .selectFrom('customers')
    .where('user_id', '=', search.userId)
    .where(sql<boolean>`instr(email_key, ${search.emailKey}) > 0`)
    .select('id');
  const ways = [
    ...foldings(text).map((part) => sql<SqlBool>`instr(lower(payments.order_id), ${part}) > 0`),
    sql<SqlBool>`payments.id = ${text}`,
    sql<SqlBool>`payments.customer_id = ${text}`,
    sql<SqlBool>`payments.customer_id in ${customers}`,
  ];
  if (HASH_PREFIX.test(text)) {
    const onChain = paidBy(db, shop, text)
      .unionAll(refundedBy(db, shop, text))
      .unionAll(askedAt(db, shop, text));
    ways.push(sql<SqlBool>`payments.id in ${onChain}`);
  }
  if (AMOUNT.test(text)) {
    ways.push(costs(text), sql<SqlBool>`payments.id in ${broughtOutputOf(db, shop, text)}`);
  }
  return sql<SqlBool>`(${sql.join(ways, sql` or `)})`;
}

/** SQLite folds the case of ASCII letters only: other alphabets are found as typed, all small or all capital. */
function foldings(text: string): string[] {
  const spellings = [text, text.toLowerCase(), text.toUpperCase()];
  const folded = spellings.map((spelling) => spelling.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()));
  return [...new Set(folded)];
}

/** A price that begins with these digits; without a point they are all before it, so that 12 is not 120. */
function costs(text: string) {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = `${whole.replace(/^0+/, '')}.${fraction}`;
  const price = sql`ltrim(payments.amount, '0')`;
  // Trailing zeros are not always written: 12.5 costs 12.50.
  const written = sql`${price} || iif(instr(${price}, '.') > 0, '', '.') || '0000'`;
  return sql<SqlBool>`instr(${written}, ${digits}) = 1`;
}

/** Payments with an output worth these digits of a coin, or these and further decimals. */
function broughtOutputOf(db: Db, { merchantId, mode }: Shop, text: string) {
  const decimals = text.split('.')[1]?.length ?? 0;
  // Compared as one of the shop's rows: looked up, it would be everybody's money of that coin.
  const ranges = COINS.flatMap((coin) => {
    const more = COIN_DEFINITIONS[coin].decimals - decimals;
    if (more < 0) return [];
    const first = parseDecimal(text.replace(/\.$/, ''), COIN_DEFINITIONS[coin].decimals);
    if (first === 0n) return [];
    // Texts of the same length compare as their numbers do.
    const [from, last] = [first.toString(), (first + 10n ** BigInt(more) - 1n).toString()];
    return [
      sql`(length(outputs.amount) = ${from.length} and outputs.amount between ${from} and ${last}
        and ${checked('outputs.coin')} = ${coin})`,
    ];
  });
  const isOne = ranges.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(ranges, sql` or `)})`;
  return db
    .selectFrom('outputs')
    .where('outputs.merchant_id', '=', merchantId)
    .where('outputs.mode', '=', mode)
    .where('outputs.payment_id', 'is not', null)
    .where(isOne)
    .select(sql<string>`outputs.payment_id`.as('id'));
}

/** Hashes are hexadecimal in lower case, save Solana's; people copy them in either. */
function spellings(hash: string): string[] {
  return [...new Set([hash, hash.toLowerCase()])];
}

function beginsWith(column: string, prefix: string) {
  const ranges = spellings(prefix).map(
    (start) => sql`(${sql.ref(column)} >= ${start} and ${sql.ref(column)} < ${start + HIGHEST})`,
  );
  return sql<boolean>`(${sql.join(ranges, sql` or `)})`;
}

/**
 * A column for checking rows, never for looking them up: as a plain column it would lead the planner to
 * scan all of a merchant's rows instead of looking up the few hashes.
 */
function checked(column: string) {
  return sql<string>`${sql.ref(column)} || ''`;
}

function paidBy(db: Db, { merchantId, mode }: Shop, hash: string) {
  return db
    .selectFrom('outputs')
    .where('outputs.coin', 'in', COINS)
    .where('outputs.mode', '=', mode)
    .where(beginsWith('outputs.txid', hash))
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
    .where(beginsWith('send_versions.txid', hash))
    .where(checked('sends.merchant_id'), '=', merchantId)
    .select('refunds.payment_id as id');
}

/** Whatever its letter case: no two addresses of a shop differ in that alone. */
function askedAt(db: Db, { merchantId, mode }: Shop, prefix: string) {
  return db
    .selectFrom('addresses')
    .where('addresses.merchant_id', '=', merchantId)
    .where('addresses.mode', '=', mode)
    .where(sql<boolean>`addresses.address collate nocase >= ${prefix}`)
    .where(sql<boolean>`addresses.address collate nocase < ${prefix + HIGHEST}`)
    .where('addresses.payment_id', 'is not', null)
    .select(sql<string>`addresses.payment_id`.as('id'));
}
