import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys, Modules } from '@medusajs/framework/utils';
import { TilldError } from '@tilld/sdk';
import type TilldService from '../modules/tilld/service';
import { applyPayment } from './apply-payment';
import { eraseMarked } from './erase';
import { paymentsWithOpenRefunds } from './refund';

const PAGE = 100;
const LOCK_SECONDS = 60;

export interface Reconciled {
  readonly events: number;
  readonly payments: number;
  readonly failed: number;
}

/**
 * Reads tilld's events from where it stopped and applies every payment they name: right also when no webhook ever came.
 * The cursor moves on after a page was applied; a payment that cannot be applied holds up no other and is looked at
 * again by the next run.
 */
export async function reconcile(container: MedusaContainer): Promise<Reconciled> {
  const locking = container.resolve(Modules.LOCKING);
  return locking.execute('tilld:reconcile', () => run(container), { timeout: LOCK_SECONDS });
}

async function run(container: MedusaContainer): Promise<Reconciled> {
  const tilld = container.resolve<TilldService>('tilld');
  if ((await tilld.connected()) === null) return { events: 0, payments: 0, failed: 0 };
  const client = await tilld.client();
  const seen = new Set<string>();
  let events = 0;
  let failed = 0;
  for (let after = await tilld.cursor(); ;) {
    const page = await client.events.list({ after, limit: PAGE });
    const ids = new Set(page.events.map(({ paymentId }) => paymentId).filter((id) => typeof id === 'string'));
    for (const id of ids) {
      seen.add(id);
      failed += await attempt(container, id);
    }
    events += page.events.length;
    const next = page.nextAfter ?? after;
    if (next !== after) await tilld.advance(next);
    after = next;
    if (page.events.length === 0) break;
  }
  const left = await tilld.listPayments({ pending_look: true }, { take: PAGE, order: { updated_at: 'ASC' } });
  for (const id of [...left.map((row) => row.id), ...(await paymentsWithOpenRefunds(tilld))]) {
    if (seen.has(id)) continue;
    seen.add(id);
    failed += await attempt(container, id);
  }
  await eraseMarked(tilld);
  return { events, payments: seen.size, failed };
}

/** @throws when tilld cannot be asked, or nothing can be kept to look again: the cursor stays */
async function attempt(container: MedusaContainer, paymentId: string): Promise<0 | 1> {
  try {
    await applyPayment(container, paymentId);
    return 0;
  } catch (error) {
    if (error instanceof TilldError && error.code !== 'PAYMENT_NOT_FOUND') throw error;
    const tilld = container.resolve<TilldService>('tilld');
    const [known] = await tilld.listPayments({ id: paymentId }, { take: 1 });
    if (known === undefined) throw error;
    await tilld.updatePayments({ id: paymentId, pending_look: true });
    const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
    logger.error(`tilld: payment ${paymentId} could not be applied: ${(error as Error).message}`);
    return 1;
  }
}
