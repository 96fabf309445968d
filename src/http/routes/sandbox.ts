import { z } from 'zod';
import { SCENARIOS, simulatePayment, type SimulatePaymentDeps } from '../../usecases/payments/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { coinAmount } from '../schemas/amounts.ts';
import { coin } from '../schemas/codes.ts';
import { paymentSchema } from '../schemas/payment.ts';
import { identifier } from '../schemas/text.ts';
import { shownTo } from './scoped-views.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

/** Simulation of the payer on the sandbox network. */
export function sandboxRoutes(deps: SimulatePaymentDeps): Route[] {
  return [simulateRoute(deps)];
}

function simulateRoute(deps: SimulatePaymentDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/sandbox/payment/simulate',
    summary: 'Play the payer of a sandbox payment',
    description:
      '`exact` pays what is missing, `underpay` half of it, `overpay` half the price more; each confirms ' +
      'automatically as blocks are mined. `late` first moves the payment past its expiry. `double-spend` and ' +
      '`reorg` reverse the money after it was detected or confirmed. `confirm` mines blocks at once. The daemon ' +
      'detects all of it on the sandbox network in the same way as real money.',
    tags: ['Sandbox'],
    auth: 'merchant',
    scope: 'payments:write',
    status: 200,
    body: z.object({
      paymentId: identifier().meta({ example: EXAMPLES.paymentId }),
      scenario: z.enum(SCENARIOS),
      coin: coin()
        .optional()
        .meta({ description: 'By default the coin already paid in, else the first one offered' }),
      amount: coinAmount()
        .optional()
        .meta({ description: 'In the coin, instead of the usual amount', example: '0.000499' }),
      confirmations: z.int().min(1).max(100).optional().meta({
        description: 'Blocks to mine at once; for `confirm` by default what the payment requires',
        example: 2,
      }),
    }),
    data: paymentSchema(),
    errors: ['PAYMENT_NOT_FOUND', 'INVALID_STATE', 'COIN_UNAVAILABLE', 'NODE_UNAVAILABLE'],
    handler: async ({ auth, body, idempotencyKey }) =>
      shownTo(auth, await simulatePayment(deps, { ...body, merchantId: auth.merchantId, idempotencyKey })),
  });
}
