import { z } from 'zod';
import { MAX_PSBT_LENGTH } from '../../domain/psbt.ts';
import { submitPsbt, type SendCoinsDeps } from '../../usecases/wallet/index.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { sendSchema } from '../schemas/send.ts';
import { identifier, text } from '../schemas/text.ts';
import { defineRoute, type Route } from '../server/route.ts';

const EXAMPLE_PSBT = 'cHNidP8BAHECAAAAAc4nK…';

/** Signatures of other wallets for sends from watched accounts. */
export function submitPsbtRoute(deps: SendCoinsDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/psbt/submit',
    auth: 'merchant',
    scope: 'wallet:send',
    summary: 'Submit a signed PSBT',
    description:
      'Adds the signatures of a copy of the `psbt` of a send (BIP-174) to it: also finished ones, and one signer of a ' +
      'multisig after another. Each is verified; nothing else of the copy is used. Once all are there the send is ' +
      'broadcast, otherwise its status stays `awaiting_signature` and `signatures` counts them. The rules for sends apply ' +
      'again: a frozen wallet and limits that were lowered since refuse it. A send that waits for no signature is shown as it is.',
    tags: ['Wallet'],
    status: 200,
    errors: [
      'SEND_NOT_FOUND',
      'INVALID_STATE',
      'WALLET_FROZEN',
      'APPROVAL_REQUIRED',
      'COIN_UNAVAILABLE',
      'SEND_REJECTED',
    ],
    body: z.object({
      sendId: identifier().meta({ example: EXAMPLES.sendId }),
      psbt: text({ max: MAX_PSBT_LENGTH }).meta({ description: 'Base64', example: EXAMPLE_PSBT }),
    }),
    bodyLimitBytes: MAX_PSBT_LENGTH + 1_024,
    example: { body: { sendId: 'snd_2KfHw9TzLq4Xn7VbR0mCy5Pd', psbt: EXAMPLE_PSBT } },
    data: sendSchema(),
    handler: async ({ auth, body }) => submitPsbt(deps, { ...body, merchantId: auth.merchantId }),
  });
}
