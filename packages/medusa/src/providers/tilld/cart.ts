import type { Logger, RemoteQueryFunction } from '@medusajs/framework/types';
import { MathBN } from '@medusajs/framework/utils';
import type { Body } from '@tilld/sdk';
import { fiat } from '../../money';

type Line = NonNullable<Body<'POST', '/payment/create'>['lines']>[number];

/** What the checkout shows of a cart. */
export interface CartFacts {
  readonly cartId: string | null;
  readonly email: string | null;
  readonly locale: string | null;
  readonly lines: Line[];
  /** The number by which shop and customer know the order, where there is one by now. */
  readonly orderLabel: string | null;
}

const UNKNOWN_CART: CartFacts = { cartId: null, email: null, locale: null, lines: [], orderLabel: null };

const NAME_MAX = 200;
const LINES_MAX = 50;

interface CartRow {
  readonly id: string;
  readonly email: string | null;
  readonly locale: string | null;
  /** Prices before taxes and discounts: totals are not computed for a provider. */
  readonly items: readonly ({ title: string; quantity: number; unit_price: number } | null)[] | null;
}

/** The cart behind a payment session. Without it a payment is made all the same: anonymous, and without lines. */
export async function readCart(
  { query, logger }: { query: RemoteQueryFunction | undefined; logger: Logger },
  sessionId: string,
  currency: string,
  amount: string,
): Promise<CartFacts> {
  if (query === undefined) return UNKNOWN_CART;
  try {
    const sessions = await query.graph({
      entity: 'payment_session',
      fields: ['payment_collection_id'],
      filters: { id: sessionId },
    });
    const collectionId = (sessions.data[0] as { payment_collection_id?: string } | undefined)
      ?.payment_collection_id;
    if (collectionId === undefined) return UNKNOWN_CART;
    const links = await query.graph({
      entity: 'cart_payment_collection',
      fields: ['cart_id'],
      filters: { payment_collection_id: collectionId },
    });
    const cartId = (links.data[0] as { cart_id?: string } | undefined)?.cart_id;
    const orderLabel = await labelOf(query, collectionId);
    if (cartId === undefined) return { ...UNKNOWN_CART, orderLabel };
    const fields = ['id', 'email', 'locale', 'items.title', 'items.quantity', 'items.unit_price'];
    const carts = await query.graph({ entity: 'cart', fields, filters: { id: cartId } });
    const cart = carts.data[0] as unknown as CartRow | undefined;
    return cart === undefined ? UNKNOWN_CART : { ...factsOf(cart, currency, amount), orderLabel };
  } catch (error) {
    logger.warn(`tilld: the cart of ${sessionId} could not be read: ${(error as Error).message}`);
    return UNKNOWN_CART;
  }
}

async function labelOf(query: RemoteQueryFunction, collectionId: string): Promise<string | null> {
  const links = await query.graph({
    entity: 'order_payment_collection',
    fields: ['order_id'],
    filters: { payment_collection_id: collectionId },
  });
  const orderId = (links.data[0] as { order_id?: string } | undefined)?.order_id;
  if (orderId === undefined) return null;
  const orders = await query.graph({ entity: 'order', fields: ['display_id'], filters: { id: orderId } });
  const number = (orders.data[0] as { display_id?: number } | undefined)?.display_id;
  return number === undefined ? null : String(number);
}

function factsOf(cart: CartRow, currency: string, amount: string): Omit<CartFacts, 'orderLabel'> {
  const lines = (cart.items ?? [])
    .filter((item) => item !== null)
    .slice(0, LINES_MAX)
    .map(({ title, quantity, unit_price }) => ({
      name: title.slice(0, NAME_MAX),
      quantity,
      amount: fiat(MathBN.mult(unit_price, quantity), currency),
    }));
  const sum = lines.reduce((all, line) => MathBN.add(all, line.amount), MathBN.convert(0));
  // A discount on the whole cart can leave less to pay than its lines; tilld refuses such lines.
  const areWithin = MathBN.lte(sum, amount) && lines.every(({ quantity }) => Number.isInteger(quantity));
  return { cartId: cart.id, email: cart.email, locale: cart.locale, lines: areWithin ? lines : [] };
}
