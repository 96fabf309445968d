import { sql, type Kysely } from 'kysely';

/**
 * The shops that sell a product, and so its prices; none: all shops of the account. Filled in from where products are
 * used: payments of them, and open links to their prices. A product that is used nowhere is sold by all shops.
 */
const STATEMENTS = [
  `CREATE TABLE product_shops (
    product_id TEXT NOT NULL REFERENCES products(id), merchant_id TEXT NOT NULL REFERENCES merchants(id),
    PRIMARY KEY (product_id, merchant_id)) STRICT, WITHOUT ROWID`,
  `INSERT INTO product_shops (product_id, merchant_id)
    SELECT used.product_id, used.merchant_id FROM (
      SELECT product_id, merchant_id FROM payments WHERE product_id IS NOT NULL
      UNION
      SELECT prices.product_id, payment_links.merchant_id FROM payment_links
        JOIN prices ON prices.id = payment_links.price_id WHERE payment_links.deleted_at IS NULL) AS used
    JOIN products ON products.id = used.product_id
    JOIN merchants ON merchants.id = used.merchant_id AND merchants.user_id = products.user_id
    WHERE products.deleted_at IS NULL`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
