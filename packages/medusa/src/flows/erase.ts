import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import type TilldService from '../modules/tilld/service';

/** How many customers one run erases at most. */
const BATCH = 100;

/**
 * A customer whom the shop deletes is erased at tilld too: e-mail and metadata. The books stay. Marks first: what tilld does
 * not answer now is done by the job.
 */
export async function eraseCustomer(container: MedusaContainer, customerId: string): Promise<void> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const tilld = container.resolve<TilldService>('tilld');
  const idsOf = async (entity: 'order' | 'cart'): Promise<string[]> => {
    const { data } = await query.graph({ entity, fields: ['id'], filters: { customer_id: customerId } });
    return (data as { id: string }[]).map(({ id }) => id);
  };
  const rows = [
    ...(await tilld.listPayments({ order_id: await idsOf('order') }, { take: null })),
    ...(await tilld.listPayments({ cart_id: await idsOf('cart') }, { take: null })),
  ];
  const ids = new Set(rows.map(({ id }) => id));
  for (const id of ids) await tilld.updatePayments({ id, to_erase: true });
  if (ids.size > 0) await eraseMarked(tilld);
}

/** Erases the customers that are to be erased. */
export async function eraseMarked(tilld: TilldService): Promise<void> {
  const marked = await tilld.listPayments({ to_erase: true }, { take: BATCH });
  if (marked.length === 0) return;
  const client = await tilld.client();
  const erased = new Set<string>();
  for (const { id } of marked) {
    const { customerId } = await client.payments.get({ paymentId: id });
    if (customerId !== null && !erased.has(customerId)) {
      await client.customers.erase({ customerId });
      erased.add(customerId);
    }
    await tilld.updatePayments({ id, to_erase: false });
  }
}
