import type { ChainAdapter, SendPlan } from '../../domain/chain.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import type { StoredSend } from '../../store/sends/sends.ts';
import { broadcast } from './broadcast.ts';
import { recordAnswer } from './record-answer.ts';
import type { SendCoinsDeps } from '../sends/send-coins.ts';
import type { SendOrder } from '../sends/send-order.ts';
import { storeSend } from '../sends/store-send.ts';

export interface Sweep {
  readonly adapter: ChainAdapter;
  /** What is moved, decided where it is stored; null when there is nothing to be moved. */
  readonly plan: (tx: Tx) => Promise<{ readonly order: SendOrder; readonly plan: SendPlan } | null>;
  /** Says so in the log, before the node sees it. */
  readonly tell: (send: StoredSend) => void;
}

/**
 * Moves money within the wallet: signs, stores, and only then offers it to the node. False when there is
 * nothing to be moved.
 */
export async function createSweep(deps: SendCoinsDeps, { adapter, plan, tell }: Sweep): Promise<boolean> {
  return deps.inHand.begin(async (sendId) => {
    const stored = await deps.db.transaction(async (tx) => {
      const planned = await plan(tx);
      if (planned === null) return null;
      return storeSend(tx, deps, { sendId, ...planned, adapter, purpose: 'sweep', idempotencyKey: null });
    });
    if (stored === null) return false;
    const { version } = stored.send;
    tell(stored.send);
    const result = await broadcast(adapter, stored.transaction);
    await deps.db.transaction(async (tx) =>
      recordAnswer(tx, deps, { sendId, version, result, neverOffered: true }),
    );
    return true;
  });
}
