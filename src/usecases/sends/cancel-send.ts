import { AppError } from '../../domain/errors.ts';
import type { StoredSend } from '../../store/sends/sends.ts';
import { applySendFact } from '../settlement/apply-send-fact.ts';
import type { BumpSendsDeps } from '../settlement/bump-sends.ts';
import { mayBePaidUnseen } from '../settlement/may-be-paid-unseen.ts';
import { replaceSend, type ReplaceSendInput } from '../settlement/replace-send.ts';
import { getSend } from './get-send.ts';
import { requireOpenSend, sendIsBusy } from './open-send.ts';
import type { SendView } from './send-view.ts';

/**
 * Cancels an open send. One that is queued fails at once, since no node has had its bytes. Otherwise a replacement at a
 * higher fee pays the money back to the wallet. The network may mine either:
 * the send fails as cancelled once a block with the replacement is settled, and confirms when the original payment is
 * mined instead.
 * @throws {AppError} as replaceSend does.
 */
export async function cancelSend(deps: BumpSendsDeps, input: ReplaceSendInput): Promise<SendView> {
  const send = await requireOpenSend(deps.db, input);
  if (send.queued === 0) return replaceSend(deps, input, { takeBack: true });
  const withdrawn = await deps.inHand.take(send.id, async () => withdraw(deps, send));
  if (withdrawn !== true) throw sendIsBusy();
  deps.wakeWebhooks();
  return getSend(deps, input);
}

/** False when it has left the queue meanwhile. @throws {AppError} INVALID_STATE */
async function withdraw(deps: BumpSendsDeps, send: StoredSend): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    if (await mayBePaidUnseen(tx, send)) {
      throw new AppError(
        'INVALID_STATE',
        'this send is older than a restore, and may have been broadcast since',
      );
    }
    const { action } = await applySendFact(tx, deps, send.id, { type: 'withdrawn' });
    return action === 'fail';
  });
}
