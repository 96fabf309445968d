import { isoTime } from '../../domain/iso-time.ts';
import { grants } from '../../domain/scopes.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import type { StoreResult } from '../../usecases/idempotent-result.ts';
import { presentSubscription } from '../../usecases/invoices/index.ts';
import { portalUrl, type SubscriptionDeps } from '../../usecases/subscriptions/index.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { identifier } from '../schemas/text.ts';
import type { Reader } from './scoped-views.ts';

interface ShopReader extends Reader {
  readonly merchant: Pick<MerchantRow, 'invoiceLeadDays'>;
}

/**
 * A subscription as its routes return it: with what events leave out, because these are copied to places that need
 * not know it. The address of the payer's page is for readers who may change subscriptions: its owner can do so.
 */
export async function presentRow(deps: SubscriptionDeps, db: Db, reader: ShopReader, row: SubscriptionRow) {
  const at = { now: deps.clock.now(), leadDays: reader.merchant.invoiceLeadDays };
  const metadata = row.metadataJson === null ? {} : (JSON.parse(row.metadataJson) as Record<string, unknown>);
  return {
    ...(await presentSubscription(db, row, at)),
    metadata,
    invoiceProblem: presentProblem(row),
    portalUrl: grants(reader.scopes, 'subscriptions:write') ? portalUrl(deps, row) : null,
    ...(grants(reader.scopes, 'customers:read') ? { email: row.email } : {}),
  };
}

function presentProblem({ problem: reason, problemAt: since }: SubscriptionRow) {
  return reason === null || since === null ? null : { reason, since: isoTime(since) };
}

/** Runs a change that stores its response in its own transaction, and presents the subscription as it is then. */
export async function storeAndPresent(
  deps: SubscriptionDeps,
  request: {
    readonly auth: ShopReader;
    readonly storeAnswer: (tx: Tx, data: Awaited<ReturnType<typeof presentRow>>) => Promise<void>;
  },
  run: (storeResult: StoreResult<SubscriptionRow>) => Promise<SubscriptionRow>,
) {
  const { auth, storeAnswer } = request;
  const row = await run(async (tx, made) => storeAnswer(tx, await presentRow(deps, tx, auth, made)));
  return presentRow(deps, deps.db, auth, row);
}

export const subscriptionId = () => identifier().meta({ example: EXAMPLES.subscriptionId });
