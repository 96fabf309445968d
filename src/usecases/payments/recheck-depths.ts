import type { ChainId } from '../../domain/coins.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import { waitingPayments } from '../../store/payments/payments-with-money.ts';
import { findPayment } from '../../store/payments/payments.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';
import { storeDepths } from './awaited-depths.ts';
import { isolateFailures } from './isolate-failures.ts';
import { loadPayment } from './load-payment.ts';

export interface RecheckDepthsDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly wakeWebhooks: () => void;
}

const PAGE = 100;
/** Above any setting and the maturity of a coinbase. */
const DEEPEST = 1_100;

/**
 * At the start of a chain, with the current setting: stores again the depth that the money of each payment
 * waits for, on any payment of its group, and updates the status of payments that waited for more.
 */
export async function recheckDepths(deps: RecheckDepthsDeps, chain: ChainId): Promise<void> {
  const cursor = await findCursor(deps.db, chain);
  if (cursor === undefined) return;
  const alone = isolateFailures(deps.logger);
  const heights = {
    height: cursor.height - DEEPEST,
    settledHeight: cursor.height - deepestRequirement(deps, chain),
  };
  for (let after = ''; ;) {
    const ids = await waitingPayments(deps.db, chain, heights, { after, limit: PAGE });
    for (const id of ids) {
      await alone(id, async () => deps.db.transaction(async (tx) => recheck(tx, deps, chain, id)));
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < PAGE) break;
    after = last;
  }
  deps.wakeWebhooks();
}

/** The confirmations that the largest amount requires now; a finality may take any number. */
function deepestRequirement({ confirmations }: RecheckDepthsDeps, { coin, mode }: ChainId): number {
  const { base, tiers } = confirmations(coin, mode);
  const strictest = tiers.at(-1)?.confirmations ?? base;
  return typeof strictest === 'number' ? strictest : DEEPEST;
}

async function recheck(tx: Tx, deps: RecheckDepthsDeps, chain: ChainId, id: string): Promise<void> {
  const row = await findPayment(tx, id);
  const tip = await findCursor(tx, chain);
  if (row === undefined || tip === undefined) return;
  const loaded = await loadPayment(tx, deps, row);
  await storeDepths(tx, loaded, loaded.state);
  await applyFacts(tx, deps, id, [{ type: 'tip', coin: chain.coin, height: tip.height }]);
}
