import type { Logger, MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import type TilldService from '../modules/tilld/service';
import { hasMoney } from '@tilld/sdk/shop';
import { orderPayment, PRICE_DIFFERS } from '../order-payment';
import type { PaymentRow } from './adopt';
import { applyPayment } from './apply-payment';

/** How many payments of a cart are asked for before the customer is led on. */
const MOST_ASKED = 5;

/**
 * Where a customer goes who comes back from tilld, whatever became of the payment: to the confirmation once money was
 * seen, to the rest that is due, else to the cart. null for a reference that is not of this shop.
 */
export async function findDestination(container: MedusaContainer, reference: string): Promise<string | null> {
  const tilld = container.resolve<TilldService>('tilld');
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  const subject = tilld.subjectOf(reference);
  if (subject === null) return null;
  const before = await listCartPayments(tilld, subject);
  for (const { id } of before.slice(0, MOST_ASKED)) await ask(container, logger, id);
  const row = orderPayment(await listCartPayments(tilld, subject));
  if (row === undefined) return null;
  const { options } = tilld;
  if (row.exception === PRICE_DIFFERS) return filled(row, row.return_url ?? options.returnUrl);
  if (row.state === 'short') return row.checkout_url;
  if (hasMoney(row.state) || row.state === 'refunded' || row.captured)
    return confirmation(row, row.success_url ?? options.successUrl);
  // The cart of a placed order is empty: what is due is paid where it was to be paid before.
  if (row.order_id !== null)
    return row.state === 'waiting'
      ? row.checkout_url
      : confirmation(row, row.success_url ?? options.successUrl);
  return filled(row, row.return_url ?? options.returnUrl);
}

/** The payments of a cart, or of a session without one; newest first. */
export async function listCartPayments(tilld: TilldService, subject: string): Promise<PaymentRow[]> {
  const order = { take: 100, order: { created_at: 'DESC' } } as const;
  const rows = await tilld.listPayments({ cart_id: subject }, order);
  return rows.length > 0 ? rows : tilld.listPayments({ session_id: subject }, order);
}

/** What tilld cannot say now is as it was last heard. */
async function ask(container: MedusaContainer, logger: Logger, paymentId: string): Promise<void> {
  try {
    await applyPayment(container, paymentId);
  } catch (error) {
    const { message } = error as Error;
    logger.warn(`tilld: payment ${paymentId} not read; its customer is led by its last state: ${message}`);
  }
}

/** An order that is not placed yet has no page: that of its payment says what it waits for. */
function confirmation(row: PaymentRow, url: string): string {
  return row.order_id === null && url.includes('{orderId}') ? row.checkout_url : filled(row, url);
}

function filled(row: PaymentRow, url: string): string {
  const values: Readonly<Record<string, string>> = {
    orderId: row.order_id ?? '',
    cartId: row.cart_id ?? '',
    paymentId: row.id,
    status: row.state,
  };
  return url.replaceAll(/\{(orderId|cartId|paymentId|status)\}/g, (_whole, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}
