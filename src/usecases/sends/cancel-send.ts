import type { BumpSendsDeps } from '../settlement/bump-sends.ts';
import { replaceSend, type ReplaceSendInput } from '../settlement/replace-send.ts';
import type { SendView } from './send-view.ts';

/**
 * Cancels an open send: a replacement at a higher fee pays the money back to the wallet. The network may mine either:
 * the send fails as cancelled once a block with the replacement is settled, and confirms when the original payment is
 * mined instead.
 * @throws {AppError} as replaceSend does.
 */
export async function cancelSend(deps: BumpSendsDeps, input: ReplaceSendInput): Promise<SendView> {
  return replaceSend(deps, input, { takeBack: true });
}
