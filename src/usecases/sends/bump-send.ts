import type { BumpSendsDeps } from '../settlement/bump-sends.ts';
import { replaceSend, type ReplaceSendInput } from '../settlement/replace-send.ts';
import type { SendView } from './send-view.ts';

/**
 * Raises the fee of one open send on request, by any percentage; the payment stays the same.
 * @throws {AppError} as replaceSend does.
 */
export async function bumpSend(deps: BumpSendsDeps, input: ReplaceSendInput): Promise<SendView> {
  return replaceSend(deps, input, { takeBack: false });
}
