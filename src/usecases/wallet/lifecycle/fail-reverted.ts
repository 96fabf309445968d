import type { ChainId, Coin, Mode } from '../../../domain/coins.ts';
import {
  requiredConfirmationsFor,
  settledHeight,
  type ConfirmationPolicy,
} from '../../../domain/confirmations.ts';
import { finalHeights, findCursor } from '../../../store/chain/chain-cursors.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { revertedSends } from '../../../store/sends/sends.ts';
import { applySendFact, type ApplySendFactDeps } from './apply-send-fact.ts';

export interface FailRevertedDeps extends ApplySendFactDeps {
  readonly db: Db;
  /** Confirmation policy of a coin in a mode. */
  readonly confirmations: (coin: Coin, mode: Mode) => ConfirmationPolicy;
  readonly wakeWebhooks: () => void;
}

/**
 * Ends sends that reverted on chain or were cancelled, once their block has the confirmations that a payment
 * of the same amount would need. Before that, a reorg could still execute and pay them, and a notified
 * merchant would already have sent again.
 */
export async function failReverted(deps: FailRevertedDeps, chain: ChainId): Promise<void> {
  const reverted = await settled(deps.db, deps, chain);
  for (const { id: sendId } of reverted) {
    try {
      await deps.db.transaction(async (tx) => {
        const upTo = (await settled(tx, deps, chain)).find(({ id }) => id === sendId)?.upTo;
        if (upTo !== undefined) await applySendFact(tx, deps, sendId, { type: 'settled', upTo });
      });
    } catch (error) {
      // A failure must block neither the other sends nor the rounds after this.
      deps.logger.error({ sendId, err: error }, 'send could not be marked as failed; retrying');
    }
  }
  if (reverted.length > 0) deps.wakeWebhooks();
}

/** Reverted sends whose block is settled, with the height up to which blocks are for their amount. */
async function settled(
  db: Db,
  { confirmations }: Pick<FailRevertedDeps, 'confirmations'>,
  chain: ChainId,
): Promise<{ id: string; upTo: number }[]> {
  const reverted = await revertedSends(db, chain);
  const tip = reverted.length === 0 ? undefined : await findCursor(db, chain);
  if (tip === undefined) return [];
  const heights = { tip: tip.height, final: await finalHeights(db, chain) };
  const policy = confirmations(chain.coin, chain.mode);
  return reverted.flatMap(({ id, amount, height }) => {
    const upTo = settledHeight(requiredConfirmationsFor(policy, BigInt(amount)), heights);
    return height !== null && height <= upTo ? [{ id, upTo }] : [];
  });
}
