import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';

const PROVIDER = /^pp_tilld_/;
/** Statuses of sessions that pay for nothing any more. */
const GONE: readonly string[] = ['canceled', 'error'];

/** A payment session as far as the flows need it. */
export interface Session {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly cartId: string | null;
  readonly order: Order | null;
  /** What the cart costs now, or the order as it was placed; an order that was edited since costs what its session pays. */
  readonly cost: number;
  readonly collection: { readonly id: string; readonly amount: number };
  readonly payment: { readonly id: string; readonly isCaptured: boolean } | null;
  /** Whether completing the cart can use no other session: of several Medusa takes any, for they have no order. */
  readonly isOnly: boolean;
}

interface Order {
  readonly id: string;
  readonly status: string;
  readonly total: number;
  /** Above 1: edited since. */
  readonly version: number;
}

interface SessionRow {
  readonly amount: number;
  readonly currency_code: string;
  readonly payment_collection: { readonly id: string; readonly amount: number };
  readonly payment?: { id: string; captured_at: string | Date | null } | null;
}

/** The session with its cart and its order; null when Medusa has deleted it. */
export async function findSession(container: MedusaContainer, sessionId: string): Promise<Session | null> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const first = async <Row>(entity: string, fields: string[], filters: Record<string, unknown>) =>
    ((await query.graph({ entity, fields, filters })).data as Row[])[0];
  const row = await first<SessionRow>(
    'payment_session',
    [
      'amount',
      'currency_code',
      'payment_collection.id',
      'payment_collection.amount',
      'payment.id',
      'payment.captured_at',
    ],
    { id: sessionId },
  );
  if (row === undefined) return null;
  const { id: collection, amount } = row.payment_collection;
  const cart = await first<{ cart_id: string }>('cart_payment_collection', ['cart_id'], {
    payment_collection_id: collection,
  });
  const link = await first<{ order_id: string }>('order_payment_collection', ['order_id'], {
    payment_collection_id: collection,
  });
  const order =
    link === undefined
      ? undefined
      : await first<Order>('order', ['id', 'status', 'total', 'version'], { id: link.order_id });
  const total = order === undefined ? await cartTotal(container, cart?.cart_id) : order.total;
  const all = (
    await query.graph({
      entity: 'payment_session',
      fields: ['id', 'status'],
      filters: { payment_collection_id: collection },
    })
  ).data as { id: string; status: string }[];
  return {
    id: sessionId,
    amount: row.amount,
    currency: row.currency_code,
    cartId: cart?.cart_id ?? null,
    order: order ?? null,
    cost: total === null || (order?.version ?? 1) > 1 ? row.amount : total,
    collection: { id: collection, amount },
    payment: row.payment ? { id: row.payment.id, isCaptured: row.payment.captured_at !== null } : null,
    isOnly: all.every(({ id, status }) => id === sessionId || GONE.includes(status)),
  };
}

/** Whether a session pays less than its cart or order costs: the cart was changed while the session was being paid. */
export function isTooLittle({ amount, cost }: Session): boolean {
  return cost > amount;
}

async function cartTotal(container: MedusaContainer, cartId: string | undefined): Promise<number | null> {
  if (cartId === undefined) return null;
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data } = await query.graph({ entity: 'cart', fields: ['total'], filters: { id: cartId } });
  return (data[0] as { total?: number } | undefined)?.total ?? null;
}

/** What a cart would be paid by now. */
export interface CartState {
  readonly collectionId: string;
  readonly isCompleted: boolean;
  readonly amount: number;
  readonly currency: string;
  /** Its sessions with us: several where two requests at once made one each. */
  readonly own: readonly { readonly id: string; readonly amount: number; readonly currency: string }[];
  /** Whether another way to pay was chosen. */
  readonly hasOther: boolean;
  /** Our provider, where the cart's region allows it. */
  readonly providerId: string | null;
}

interface CartStateRow {
  readonly completed_at: string | null;
  readonly region?: { readonly payment_providers?: readonly ({ readonly id: string } | null)[] } | null;
  readonly payment_collection?: {
    readonly id: string;
    readonly amount: number;
    readonly currency_code: string;
    readonly payment_sessions?: readonly {
      readonly id: string;
      readonly provider_id: string;
      readonly status: string;
      readonly amount: number;
      readonly currency_code: string;
    }[];
  } | null;
}

/** null without a cart, or for one that nothing is asked for. */
export async function findCart(container: MedusaContainer, cartId: string): Promise<CartState | null> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const fields = [
    'completed_at',
    'region.payment_providers.id',
    'payment_collection.id',
    'payment_collection.amount',
    'payment_collection.currency_code',
    'payment_collection.payment_sessions.*',
  ];
  const { data } = await query.graph({ entity: 'cart', fields, filters: { id: cartId } });
  const cart = data[0] as unknown as CartStateRow | undefined;
  const collection = cart?.payment_collection;
  if (cart === undefined || !collection) return null;
  const sessions = (collection.payment_sessions ?? []).filter(({ status }) => !GONE.includes(status));
  const own = sessions.filter(({ provider_id }) => PROVIDER.test(provider_id));
  const providers = (cart.region?.payment_providers ?? []).map((each) => each?.id ?? '');
  return {
    collectionId: collection.id,
    isCompleted: cart.completed_at !== null,
    amount: collection.amount,
    currency: collection.currency_code,
    own: own.map(({ id, amount, currency_code }) => ({ id, amount, currency: currency_code })),
    hasOther: own.length < sessions.length,
    providerId: providers.find((id) => PROVIDER.test(id)) ?? null,
  };
}
