import type { ChainId, Coin, Mode } from '../../domain/coins.ts';
import { requirementFor, settledHeight, type ConfirmationPolicy } from '../../domain/confirmations.ts';
import { finalHeightsOf, findCursor } from '../../store/chain/chain-cursors.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { revertedSends, type StoredSend } from '../../store/sends/sends.ts';
import { versionsOf } from '../../store/sends/send-versions.ts';
import type { ApplyFactsDeps } from '../payments/apply-facts.ts';
import { failSend } from './fail-send.ts';

export interface FailRevertedDeps extends ApplyFactsDeps {
  readonly db: Db;
  /** Confirmation policy of a coin in a mode. */
  readonly confirmations: (coin: Coin, mode: Mode) => ConfirmationPolicy;
  readonly wakeWebhooks: () => void;
}

const REVERTED = 'the network executed this send and it failed; only the network fee was spent';

const CANCELLED = 'cancelled: a replacement that pays it back to the wallet was mined';

/**
 * Ends sends that reverted on chain or were cancelled, once their block has the confirmations that a payment of the
 * same amount would need. Before that, a reorganisation could still execute and pay them: a merchant told of the
 * failure would have sent again by then.
 */
export async function failReverted(deps: FailRevertedDeps, chain: ChainId): Promise<void> {
  const reverted = await settled(deps.db, deps, chain);
  for (const { id: sendId } of reverted) {
    try {
      await deps.db.transaction(async (tx) => {
        const send = (await settled(tx, deps, chain)).find(({ id }) => id === sendId);
        if (send !== undefined) await failSend(tx, deps, send, await reasonOf(tx, send));
      });
    } catch (error) {
      // A failure must block neither the other sends nor the rounds after this.
      deps.logger.error({ sendId, err: error }, 'could not end a send; trying again');
    }
  }
  if (reverted.length > 0) deps.wakeWebhooks();
}

async function reasonOf(tx: Tx, send: StoredSend): Promise<string> {
  const mined = (await versionsOf(tx, send.id)).find(({ version }) => version === send.version);
  return mined?.cancels === 1 ? CANCELLED : REVERTED;
}

async function settled(
  db: Db,
  { confirmations }: Pick<FailRevertedDeps, 'confirmations'>,
  chain: ChainId,
): Promise<StoredSend[]> {
  const reverted = await revertedSends(db, chain);
  const tip = reverted.length === 0 ? undefined : await findCursor(db, chain);
  if (tip === undefined) return [];
  const stand = { tip: tip.height, final: await finalHeightsOf(db, chain) };
  const policy = confirmations(chain.coin, chain.mode);
  return reverted.filter(({ amount, height }) => {
    const needed = requirementFor(policy, BigInt(amount));
    return height !== null && height <= settledHeight(needed, stand);
  });
}
