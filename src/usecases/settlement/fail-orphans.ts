import type { ChainId } from '../../domain/coins.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import { displacedSends } from '../../store/ledger/own-change.ts';
import { findSend } from '../../store/sends/sends.ts';
import { versionsOf } from '../../store/sends/send-versions.ts';
import type { RecordAnswerDeps } from './record-answer.ts';
import { failSend } from './fail-send.ts';
import { areLostForGood } from './lost-for-good.ts';
import { mayBePaidUnseen } from './may-be-paid-unseen.ts';
import { isOpen } from './send-chain.ts';
import { spendsAccounts } from '../sends/sender.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** Sends examined in one round. */
const ROUND_SIZE = 50;
const DISPLACED = 'another transaction spent the coins of this send, or of one whose change it spends';

/**
 * Ends sends whose coins a confirmed transaction spent otherwise, and their descendants (sends that spend their
 * change), once that block is too deep for a reorganisation: until then they could still be mined. On account chains
 * a send draws on a balance, not on an output: it is signed anew from that balance, or ends by proof of its expiry or
 * used nonce.
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
