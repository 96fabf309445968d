import { accountsPerSend } from '../../domain/accounts.ts';
import type { ChainId } from '../../domain/coins.ts';
import { MAX_ANCESTORS } from '../../domain/send/package-fee.ts';
import { findCursor } from '../../store/chain-cursors.ts';
import { inTransaction, type Tx } from '../../store/database.ts';
import { sendsHoldingGone } from '../../store/own-change.ts';
import { findSend, findVersionByTxid, versionsOf } from '../../store/sends.ts';
import { minedSpendsOf } from '../../store/spends.ts';
import type { RecordAnswerDeps } from './record-answer.ts';
import { failSend } from './fail-send.ts';
import { mayBePaidUnseen } from './may-be-paid-unseen.ts';
import { isOpen } from './send-chain.ts';
import { readPlan } from './stored-plan.ts';
import type { Db } from '../../store/database.ts';

/** Sends looked at in one round. */
const ROUND_SIZE = 50;
const ORPHANED = 'the transaction whose change it spends can never confirm';

/**
 * Ends sends that spend change of a transaction which another one has displaced, once the block of that other one is
 * so deep that no fork brings the first back: until then both could still be mined. On chains of accounts a send draws
 * on a balance, not on the output of one transaction: it is signed anew from what the account holds, or ends by the
 * proof of its own expiry or nonce.
 */
export async function failOrphans(
  deps: RecordAnswerDeps & { readonly db: Db; readonly wakeWebhooks: () => void },
  chain: ChainId,
): Promise<void> {
  if (accountsPerSend(chain) !== null) return;
  const tip = await findCursor(deps.db, chain);
  const held = tip === undefined ? [] : await sendsHoldingGone(deps.db, chain, ROUND_SIZE);
  if (tip === undefined || held.length === 0) return;
  const buried = tip.height - deps.policy.surplusDepth + 1;
  for (const { id } of held) {
    try {
      await inTransaction(deps.db, async (tx) => {
        const send = await findSend(tx, id);
        if (send === undefined || !isOpen(send) || (await mayBePaidUnseen(tx, send))) return;
        for (const { txid } of await versionsOf(tx, id)) {
          if (!(await isLostForGood(tx, chain, { txid, buried, depth: 0 }))) return;
        }
        await failSend(tx, deps, send, ORPHANED);
      });
    } catch (error) {
      deps.logger.error({ sendId: id, err: error }, 'could not end a send; trying again');
    }
  }
  deps.wakeWebhooks();
}

/** Whether a deep block spends one of the inputs of a version, or of an unconfirmed one that it needs, otherwise. */
async function isLostForGood(
  tx: Tx,
  chain: ChainId,
  of: { readonly txid: string; readonly buried: number; readonly depth: number },
): Promise<boolean> {
  const { txid, buried, depth } = of;
  const version = depth > MAX_ANCESTORS ? undefined : await findVersionByTxid(tx, chain, txid);
  if (version === undefined) return false;
  const plan = readPlan(version.plan_json);
  if (plan.account !== undefined) return false;
  const inputs = plan.inputs.map(({ ref }) => ref);
  const mined = new Map(
    (await minedSpendsOf(tx, chain, inputs)).map((spend) => [`${spend.ref.txid}:${spend.ref.index}`, spend]),
  );
  for (const ref of inputs) {
    const spend = mined.get(`${ref.txid}:${ref.index}`);
    if (spend !== undefined && spend.byTxid !== txid && spend.height <= buried) return true;
  }
  for (const parent of new Set(inputs.map((ref) => ref.txid))) {
    if (await isLostForGood(tx, chain, { txid: parent, buried, depth: depth + 1 })) return true;
  }
  return false;
}
