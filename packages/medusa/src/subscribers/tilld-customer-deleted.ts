import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { eraseCustomer } from '../flows/erase';

export default async function tilldCustomerDeleted({
  event,
  container,
}: SubscriberArgs<{ id: string }>): Promise<void> {
  try {
    await eraseCustomer(container, event.data.id);
  } catch (error) {
    const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
    const { message } = error as Error;
    logger.error(`tilld: customer ${event.data.id} not erased at tilld yet; the job tries again: ${message}`);
  }
}

export const config: SubscriberConfig = { event: 'customer.deleted' };
