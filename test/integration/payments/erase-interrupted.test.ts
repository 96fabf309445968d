/** An erasure that ends in the middle, as by a crash: the next request goes on where the data is. */
import { expect, it } from 'vitest';
import { findUserCustomer } from '../../../src/store/catalog/customers.ts';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { eraseCustomer } from '../../../src/usecases/customers/erase-customer.ts';
import { openPaymentWorld } from '../../_helpers/payment-world.ts';

const PAYMENTS = 50;

/** The database, whose transactions fail after so many. */
function failingAfter(db: Db, count: number): Db {
  let left = count;
  return new Proxy(db, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'transaction') {
        left -= 1;
        if (left < 0) return async () => Promise.reject(new Error('the process ended'));
      }
      return value.bind(target) as unknown;
    },
  });
}

it('eraseCustomer deletes the email address last, so that another request can complete an interrupted erasure', async () => {
  const world = await openPaymentWorld();
  try {
    const { db } = world.deps;
    const deps = {
      ...world.deps,
      secretBox: { seal: (plain: string) => plain, open: (sealed: string) => sealed },
    };
    const made = [];
    for (let number = 0; number < PAYMENTS; number += 1) made.push(await world.order());
    const customerId = made[0]?.customerId ?? '';
    const owner = await db
      .selectFrom('customers')
      .selectAll()
      .where('id', '=', customerId)
      .executeTakeFirstOrThrow();
    const { userId, email } = owner;
    await db.transaction((tx) =>
      tx
        .updateTable('payments')
        .set({ metadataJson: JSON.stringify({ email, order: 1 }) })
        .execute(),
    );
    const left = async (): Promise<number> => {
      const rows = await db.selectFrom('payments').select('metadataJson').execute();
      return rows.filter((row) => row.metadataJson?.includes(email) === true).length;
    };
    const at = { userId, customerId };
    await expect(eraseCustomer({ ...deps, db: failingAfter(db, 1) }, at)).rejects.toThrow(
      'the process ended',
    );
    expect(await left()).toBe(PAYMENTS - 20);
    expect((await findUserCustomer(db, userId, customerId))?.email).toBe(email);
    await eraseCustomer(deps, at);
    expect(await left()).toBe(0);
    expect((await findUserCustomer(db, userId, customerId))?.email).toBe(`${customerId}@erased.invalid`);
  } finally {
    await world.close();
  }
});
