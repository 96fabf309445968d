import type { BumpSendsDeps } from '../settlement/bump-sends.ts';
import { replaceSend, type ReplaceSendInput } from '../settlement/replace-send.ts';
import type { SendView } from './send-view.ts';

/**
 * Takes an open send back: a replacement at a higher fee pays its money to the wallet itself. It is a request to the
 * network, which may mine either: the send fails as cancelled once a block with the replacement is settled, and
 * confirms when the payment is mined in its stead.
 * @throws {AppError} as replaceSend does.
 */
export async function cancelSend(deps: BumpSendsDeps, input: ReplaceSendInput): Promise<SendView> {
  return replaceSend(deps, input, { takeBack: true });
}
