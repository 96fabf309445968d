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

interface Shop {
  readonly merchantId: string;
  readonly mode: Mode;
}

/**
 * Whether a text names an output that paid a shop: by the beginning of its transaction or address, by the
 * whole order id, order label or id of its payment, or by its amount. Scans the shop's outputs.
 */
export function isNamedOutput(db: Db, shop: Shop, text: string): Expression<SqlBool> {
  const ways = [sql<SqlBool>`outputs.payment_id in ${namedPayments(db, shop, text)}`];
  if (isHashPrefix(text)) {
    ways.push(
      sql<SqlBool>`outputs.seq in ${paidBy(db, shop, text)}`,
      sql<SqlBool>`outputs.address_id in ${namedAddresses(db, shop, text)}`,
      // Few outputs belong to no payment, and their addresses are in no text index.
      sql<SqlBool>`(outputs.payment_id is null and ${ownAddress(db, text)})`,
    );
  }
  if (isAmount(text)) ways.push(coinAmountBegins({ amount: 'outputs.amount', coin: 'outputs.coin' }, text));
  return sql<SqlBool>`(${sql.join(ways, sql` or `)})`;
}

/**
 * Whether a text names a send of a shop: by its id, by the beginning of the transaction of any of its versions or of a
 * destination, by the whole order id, order label or id of the payment it refunds, or by its amount.
 */
export function isNamedSend(db: Db, shop: Shop, text: string): Expression<SqlBool> {
  const refunds = db
    .selectFrom('refunds')
    .where('refunds.paymentId', 'in', namedPayments(db, shop, text))
    .select('refunds.sendId');
  const ways = [sql<SqlBool>`sends.id = ${text}`, sql<SqlBool>`sends.id in ${refunds}`];
  if (isHashPrefix(text)) {
    const versions = db
      .selectFrom('send_versions')
      .where('send_versions.coin', 'in', COINS)
      .where('send_versions.mode', '=', shop.mode)
      .where(hashBegins('send_versions.txid', text))
      .select('send_versions.sendId');
    ways.push(
      sql<SqlBool>`sends.id in ${versions}`,
      addressBegins('sends.destination', text),
      sql<SqlBool>`(sends.outputs_json is not null and exists (select 1 from (
        select value ->> 'destination' as destination from json_each(sends.outputs_json)) as recipient
        where ${addressBegins('recipient.destination', text)}))`,
    );
  }
  if (isAmount(text)) ways.push(coinAmountBegins({ amount: 'sends.amount', coin: 'sends.coin' }, text));
  return sql<SqlBool>`(${sql.join(ways, sql` or `)})`;
}

function namedPayments(db: Db, { merchantId, mode }: Shop, text: string) {
  const ofShop = db
    .selectFrom('payments')
    .where('payments.merchantId', '=', merchantId)
    .where('payments.mode', '=', mode)
    .where('payments.orderId', '=', text)
    .select('payments.id');
  const labelled = db
    .selectFrom('payments')
    .where('payments.merchantId', '=', merchantId)
    .where('payments.mode', '=', mode)
    .where('payments.orderLabel', '=', text)
    .select('payments.id');
  return ofShop.unionAll(labelled).unionAll(db.selectNoFrom(sql<string>`${text}`.as('id')));
}

function paidBy(db: Db, { merchantId, mode }: Shop, hash: string) {
  return db
    .selectFrom('outputs as paid')
    .where('paid.coin', 'in', COINS)
    .where('paid.mode', '=', mode)
    .where(hashBegins('paid.txid', hash))
    .where(checked('paid.merchantId'), '=', merchantId)
    .select('paid.seq');
}

function namedAddresses(db: Db, { merchantId, mode }: Shop, prefix: string) {
  return db
    .selectFrom('addresses')
    .where('addresses.merchantId', '=', merchantId)
    .where('addresses.mode', '=', mode)
    .where(addressBegins('addresses.address', prefix))
    .where('addresses.paymentId', 'is not', null)
    .select('addresses.id');
}

function ownAddress(db: Db, prefix: string) {
  const addresses = db
    .selectFrom('addresses as ownAddress')
    .where(sql<boolean>`own_address.id = outputs.address_id`)
    .where(addressBegins('own_address.address', prefix))
    .select(sql`1`.as('one'));
  return sql<SqlBool>`exists ${addresses}`;
}
