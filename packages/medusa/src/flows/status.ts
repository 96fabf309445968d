import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import type TilldService from '../modules/tilld/service';
import { hasEnded } from '@tilld/sdk/shop';
import { orderPayment } from '../order-payment';

/** What a storefront shows of the payment that an order or a cart follows. */
export interface PaymentStatus {
  readonly id: string;
  /** Asks for the rest at the present rate, and shows what became of the payment. */
  readonly checkout_url: string;
  readonly return_url: string;
  readonly state: string;
  readonly amount: string;
  readonly currency: string;
  /** What came by now; null while tilld cannot say. */
  readonly received: string | null;
  readonly expires_at: string | null;
}

/** By the id of a cart or an order, as storefronts read carts and orders themselves. */
export async function readStatus(
  container: MedusaContainer,
  wanted: { readonly cart_id: string } | { readonly order_id: string },
): Promise<PaymentStatus | null> {
  const tilld = container.resolve<TilldService>('tilld');
  const row = orderPayment(
    await tilld.listPayments({ ...wanted }, { take: 100, order: { created_at: 'DESC' } }),
  );
  if (row === undefined) return null;
  const payment = hasEnded(row.state) ? null : await read(container, tilld, row.id);
  return {
    id: row.id,
    checkout_url: row.checkout_url,
    return_url: tilld.returnAddress(row.cart_id ?? row.session_id),
    state: row.state,
    amount: payment?.amount ?? row.amount,
    currency: payment?.currency ?? row.currency,
    received: payment?.receivedFiat ?? null,
    expires_at: payment?.expiresAt ?? null,
  };
}

async function read(container: MedusaContainer, tilld: TilldService, paymentId: string) {
  try {
    return await (await tilld.client()).payments.get({ paymentId });
  } catch (error) {
    const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
    logger.warn(
      `tilld: payment ${paymentId} not read; shown as it was last heard: ${(error as Error).message}`,
    );
    return null;
  }
}
