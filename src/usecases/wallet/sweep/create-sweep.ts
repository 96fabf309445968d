import type { ChainAdapter, SendPlan } from '../../../domain/chain.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import { broadcastOnce } from '../lifecycle/broadcast-once.ts';
import { recordBroadcastResult } from '../lifecycle/record-broadcast-result.ts';
import { tryEnsureRates } from '../send/ensure-rates.ts';
import type { SendCoinsDeps } from '../send/make-send.ts';
import type { SendOrder } from '../send/send-order.ts';
import { storeSend } from '../send/store-send.ts';

interface PlannedSweep {
  readonly order: SendOrder;
  readonly plan: SendPlan;
  /** Its fee budget, atoms. */
  readonly maxFee: bigint;
  /** Sends can never be mined without it: no limit concerns it. */
  readonly unblocksSends?: boolean;
}

export interface Sweep {
  readonly adapter: ChainAdapter;
  readonly merchantId: string;
  /** What to move, decided in the transaction that stores it; null when there is nothing to move. */
  readonly plan: (tx: Tx) => Promise<PlannedSweep | null>;
  /** Logs the sweep, before it is broadcast. */
  readonly log: (send: StoredSend) => void;
}

/**
 * Moves money within the wallet: signs, stores, and only then broadcasts. Returns false when there is nothing to
 * move.
 */
export async function createSweep(
  deps: SendCoinsDeps,
  { adapter, merchantId, plan, log }: Sweep,
): Promise<boolean> {
  await tryEnsureRates(deps, { merchantId, creator: null });
  return deps.inFlight.begin(async (sendId) => {
    const stored = await deps.db.transaction(async (tx) => {
      const planned = await plan(tx);
      if (planned === null) return null;
      return storeSend(tx, deps, { sendId, ...planned, adapter, purpose: 'sweep', idempotencyKey: null });
    });
    if (stored === null) return false;
    const { version } = stored.send;
    log(stored.send);
    const result = await broadcastOnce(adapter, stored.transaction);
    await deps.db.transaction(async (tx) =>
      recordBroadcastResult(tx, deps, { sendId, version, result, neverOffered: true }),
    );
    return true;
  });
}
