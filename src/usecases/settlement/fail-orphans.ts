import type { ChainId } from '../../domain/coins.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import { displacedSends } from '../../store/ledger/own-change.ts';
import { findSend, versionsOf } from '../../store/sends/sends.ts';
import type { RecordAnswerDeps } from './record-answer.ts';
import { failSend } from './fail-send.ts';
import { areLostForGood } from './lost-for-good.ts';
import { mayBePaidUnseen } from './may-be-paid-unseen.ts';
import { isOpen } from './send-chain.ts';
import { spendsAccounts } from '../sends/sender.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** Sends looked at in one round. */
const ROUND_SIZE = 50;
const DISPLACED = 'another transaction spent the coins of this send, or of one whose change it spends';

/**
 * Ends sends whose coins another transaction spent in a block, and those that spend change of such a send, once that
 * block is so deep that no fork takes it back: until then they could still be mined. On chains of accounts a send draws
 * on a balance, not on the output of one transaction: it is signed anew from what the account holds, or ends by the
 * proof of its own expiry or nonce.
 */
export async function failOrphans(
  deps: RecordAnswerDeps & { readonly db: Db; readonly wakeWebhooks: () => void },
  chain: ChainId,
): Promise<void> {
  if (spendsAccounts(chain)) return;
  const tip = await findCursor(deps.db, chain);
  const held = tip === undefined ? [] : await displacedSends(deps.db, chain, ROUND_SIZE);
  if (tip === undefined || held.length === 0) return;
  const buried = tip.height - deps.policy.surplusDepth + 1;
  for (const { id } of held) {
    try {
      await deps.db.transaction(async (tx) => {
        const send = await findSend(tx, id);
        if (send === undefined || !isOpen(send) || (await mayBePaidUnseen(tx, send))) return;
        const versions = await versionsOf(tx, id);
        if (await areLostForGood(tx, chain, versions, buried)) await failSend(tx, deps, send, DISPLACED);
      });
    } catch (error) {
      deps.logger.error({ sendId: id, err: error }, 'could not end a send; trying again');
    }
  }
  deps.wakeWebhooks();
}
