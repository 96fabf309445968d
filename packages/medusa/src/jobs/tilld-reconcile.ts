import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { reconcile } from '../flows/reconcile';

/** Makes right what webhooks did not. */
export default async function tilldReconcile(container: MedusaContainer): Promise<void> {
  try {
    await reconcile(container);
  } catch (error) {
    const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
    logger.warn(`tilld: events could not be read: ${(error as Error).message}; the next run tries again`);
  }
}

export const config = { name: 'tilld-reconcile', schedule: '* * * * *' };
