import { shopState, TilldError, type Payment, type Tilld } from '@tilld/sdk';
import { closePayment, hasMoney } from '@tilld/sdk/shop';
import { isWorth } from '../money';
import type TilldService from '../modules/tilld/service';
import { isMadeBefore } from '../order-payment';

interface Parts {
  readonly tilld: TilldService;
  readonly client: Tilld;
}

/** How many payments of a cart are asked for before another one is made. */
const MOST_ASKED = 20;
const BEYOND: readonly string[] = ['refunded', 'superseded'];

/**
 * The payment of a cart that has received money, as tilld returns it now, even if no webhook arrived; null without
 * one. Besides it, no payment of the cart stays open.
 * @param made a payment of the cart that was just created
 * @throws {TilldError} while tilld cannot answer: no second payment is created then
 */
export async function findPaidPayment(
  parts: Parts,
  cartId: string | null,
  made?: string,
): Promise<Payment | null> {
  if (cartId === null) return null;
  const { tilld, client } = parts;
  const rows = await tilld.listPayments(
    { cart_id: cartId },
    { take: MOST_ASKED, order: { created_at: 'DESC' } },
  );
  const payments: Payment[] = [];
  for (const { id, state } of rows) {
    if (BEYOND.includes(state) || id === made) continue;
    const payment = await read(client, id);
    if (payment !== null) payments.push(payment);
  }
  const paid = payments.findLast((each) => hasMoney(shopState(each)) && isWorth(each, tilld.options));
  if (paid === undefined) return null;
  for (const each of payments) if (shopState(each) === 'waiting') await closePayment(client, each.id);
  if (made !== undefined) await closePayment(client, made);
  return paid;
}

/** Two tabs may have made a payment each: the newest of a cart stays. */
export async function closeOlder(
  { tilld, client }: Parts,
  paymentId: string,
  cartId: string | null,
): Promise<void> {
  if (cartId === null) return;
  const rows = await tilld.listPayments({ cart_id: cartId, state: 'waiting' }, { take: MOST_ASKED });
  const mine = rows.find(({ id }) => id === paymentId);
  if (mine === undefined) return;
  for (const row of rows) if (isMadeBefore(row, mine)) await closePayment(client, row.id);
}

async function read(client: Tilld, paymentId: string): Promise<Payment | null> {
  try {
    return await client.payments.get({ paymentId });
  } catch (error) {
    if (error instanceof TilldError && error.code === 'PAYMENT_NOT_FOUND') return null;
    throw error;
  }
}
