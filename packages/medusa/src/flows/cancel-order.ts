import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { giveUp } from '../give-up';
import type TilldService from '../modules/tilld/service';

interface OrderRow {
  readonly payment_collections?: readonly {
    readonly payment_sessions?: readonly { readonly id: string }[];
  }[];
}

/** The plugin's payments behind an order that Medusa has no money of in its books. */
export async function listOpenPayments(container: MedusaContainer, orderId: string) {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const fields = ['payment_collections.payment_sessions.id'];
  const { data } = await query.graph({ entity: 'order', fields, filters: { id: orderId } });
  const collections = (data[0] as OrderRow | undefined)?.payment_collections ?? [];
  const sessions = collections.flatMap(({ payment_sessions }) => payment_sessions ?? []).map(({ id }) => id);
  if (sessions.length === 0) return [];
  const tilld = container.resolve<TilldService>('tilld');
  return tilld.listPayments({ session_id: sessions, captured: false });
}

/**
 * Cancels the payments of an order at tilld, before Medusa cancels the order.
 * @throws {MedusaError} when money came, or when tilld cannot be asked: the order stays, and the shopkeeper reads why
 */
export async function releaseOrder(container: MedusaContainer, orderId: string): Promise<void> {
  const payments = await listOpenPayments(container, orderId);
  if (payments.length === 0) return;
  const tilld = container.resolve<TilldService>('tilld');
  const client = await tilld.client();
  for (const { id } of payments) {
    try {
      await giveUp(client, id, tilld.options);
    } catch (error) {
      const reason = (error as Error).message;
      await tilld.tell(id, `not_cancelled:${reason}`.slice(0, 200), 'not_cancelled', { reason });
      throw error;
    }
  }
}
