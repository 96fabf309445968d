import { AppError } from '../../../domain/errors.ts';
import { isSpentUnconfirmed } from '../../../store/ledger/reservations.ts';
import { findSend, type StoredSend } from '../../../store/sends/sends.ts';
import { applySendFact } from '../lifecycle/apply-send-fact.ts';
import type { BumpSendsDeps } from '../lifecycle/bump-sends.ts';
import { isPossiblyPaid } from '../lifecycle/possibly-paid.ts';
import { replaceSend, type ReplaceSendInput } from '../lifecycle/replace-send.ts';
import { getSend } from './get-send.ts';
import { requireOpenSend, sendBusyError } from './open-send.ts';
import type { SendView } from './send-view.ts';

/**
 * Cancels an open send. A preparing or queued one fails at once, since no node has received its bytes; the
 * parts of a preparing one remain moves within the wallet. Otherwise a replacement at a higher fee pays the
 * money back to the wallet. The network may mine either: the send fails as cancelled once a block with the
 * replacement is final, and confirms when the original payment is mined instead.
 * @throws {AppError} like replaceSend.
 */
export async function cancelSend(deps: BumpSendsDeps, input: ReplaceSendInput): Promise<SendView> {
  const stored = await findSend(deps.db, input.sendId);
  const isPreparing = stored?.merchantId === input.merchantId && stored.status === 'preparing';
  const send = isPreparing ? stored : await requireOpenSend(deps.db, input);
  if (!isPreparing && !send.queued) return replaceSend(deps, input, { takeBack: true });
  const withdrawn = await deps.inFlight.take(send.id, async () => withdraw(deps, send));
  if (withdrawn !== true) throw sendBusyError();
  deps.wakeWebhooks();
  return getSend(deps, input);
}

/** False when it was signed, or has left the queue, in the meantime. @throws {AppError} INVALID_STATE */
async function withdraw(deps: BumpSendsDeps, send: StoredSend): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    if (await isPossiblyPaid(tx, send)) {
      throw new AppError(
        'INVALID_STATE',
        'this send is older than a restore, and may have been broadcast since',
      );
    }
    // Of a preparing one only its parts were broadcast.
    if (send.byPsbt && (await isSpentUnconfirmed(tx, send.id))) {
      throw new AppError(
        'INVALID_STATE',
        'a transaction in the mempool spends the outputs of this send, perhaps its own: wait for a block',
      );
    }
    const { action } = await applySendFact(tx, deps, send.id, { type: 'withdrawn' });
    return action === 'fail';
  });
}
