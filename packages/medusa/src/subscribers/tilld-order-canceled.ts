import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { releaseOrder } from '../flows/cancel-order';

/** An order that was cancelled by code rather than by the admin API: its payment is cancelled too, or the shopkeeper reads that money came. */
export default async function tilldOrderCanceled({
  event,
  container,
}: SubscriberArgs<{ id: string }>): Promise<void> {
  try {
    await releaseOrder(container, event.data.id);
  } catch (error) {
    const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
    logger.error(
      `tilld: order ${event.data.id} is cancelled, but not its payment: ${(error as Error).message}`,
    );
  }
}

export const config: SubscriberConfig = { event: 'order.canceled' };
