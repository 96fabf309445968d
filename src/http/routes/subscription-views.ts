import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { presentSubscription } from '../../usecases/invoices/index.ts';
import type { SubscriptionDeps } from '../../usecases/subscriptions/index.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { identifier } from '../schemas/text.ts';

type Shop = Pick<MerchantRow, 'invoiceLeadDays'>;

/** A subscription as its routes return it: with the metadata, which events leave out. */
export async function presentRow(deps: SubscriptionDeps, db: Db, merchant: Shop, row: SubscriptionRow) {
  const at = { now: deps.clock.now(), leadDays: merchant.invoiceLeadDays };
  const parsed = row.metadataJson === null ? {} : (JSON.parse(row.metadataJson) as Record<string, unknown>);
  return { ...(await presentSubscription(db, row, at)), metadata: parsed };
}

export const subscriptionId = () => identifier().meta({ example: EXAMPLES.subscriptionId });
