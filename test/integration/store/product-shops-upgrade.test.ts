/** Products of earlier databases: the shops that sell them are those that used them, and all of the account where none did. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shopsOfProducts } from '../../../src/store/catalog/product-shops.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { layOut } from '../../_helpers/earlier-databases.ts';

const BEFORE = '0048-revocations.json.gz';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-product-shops-'));
  path = join(dir, 'tilld.sqlite');
  layOut(BEFORE, dir);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function change<T>(write: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(path);
  try {
    return write(db);
  } finally {
    db.close();
  }
}

interface Shop {
  readonly id: string;
  readonly owner: string;
}

function run(sql: string, ...values: unknown[]): void {
  change((db) => db.prepare(sql).run(...values));
}

/** The shop of the fixture that has payments. */
function shop(): Shop {
  return change((db) =>
    db
      .prepare(
        `SELECT merchants.id, merchants.user_id AS owner FROM merchants JOIN payments ON merchant_id = merchants.id
         ORDER BY payments.created_at LIMIT 1`,
      )
      .get(),
  ) as Shop;
}

function addProduct(id: string, owner: string): void {
  run(
    `INSERT INTO products (id, user_id, name, recurring, active, created_at, updated_at) VALUES (?, ?, 'Tea', 0, 1, 1, 1)`,
    id,
    owner,
  );
  run(
    `INSERT INTO prices (id, user_id, product_id, amount, currency, active, created_at, updated_at)
     VALUES (?, ?, ?, '5', 'USD', 1, 1, 1)`,
    `price_${id}`,
    owner,
    id,
  );
}

function addLink(id: string, merchantId: string, priceId: string, deletedAt: number | null): void {
  run(
    `INSERT INTO payment_links (id, merchant_id, slug, kind, name, price_id, fields_json, active, created_at, updated_at, deleted_at)
     VALUES (?, ?, ?, 'link', 'Tea', ?, '[]', 1, 1, 1, ?)`,
    id,
    merchantId,
    id,
    priceId,
    deletedAt,
  );
}

async function shopsAfterUpgrade(...productIds: string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const database = await openDatabase(path);
  try {
    return await shopsOfProducts(database.db, productIds);
  } finally {
    await database.close();
  }
}

it('an upgrade assigns a product to the shops that created payments with it', async () => {
  const { id, owner } = shop();
  addProduct('paid', owner);
  run(
    `UPDATE payments SET product_id = 'paid' WHERE id = (SELECT id FROM payments WHERE merchant_id = ? LIMIT 1)`,
    id,
  );
  expect(await shopsAfterUpgrade('paid')).toEqual(new Map([['paid', [id]]]));
});

it('an upgrade assigns a product to the shops with a payment link to its price, except deleted links', async () => {
  const { id, owner } = shop();
  addProduct('linked', owner);
  addLink('open', id, 'price_linked', null);
  addProduct('was linked', owner);
  addLink('gone', id, 'price_was linked', 1);
  expect(await shopsAfterUpgrade('linked', 'was linked')).toEqual(new Map([['linked', [id]]]));
});

it('an upgrade assigns an unused product to all shops of the account', async () => {
  addProduct('unused', shop().owner);
  expect(await shopsAfterUpgrade('unused')).toEqual(new Map());
});
