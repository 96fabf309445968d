import { LanguageCode, PaymentMethodHandler, TransactionalConnection } from '@vendure/core';
import { TilldCancelGuard } from './cancel-guard';
import { TilldPayment } from './entities';

/** Passed by the plugin to its own handler; metadata from a shopper is ignored. */
export interface HandedPayment {
  readonly paymentId: string;
  readonly amount: number;
  readonly state: 'Authorized' | 'Settled';
}

const CODE = 'tilld';
let db: TransactionalConnection;
let guard: TilldCancelGuard;

const takenBack = new Set<string>();

/** Cancels a payment in Vendure whose money is gone according to tilld; its customer may pay again. */
export async function withoutTilld<T>(paymentId: string, cancel: () => Promise<T>): Promise<T> {
  takenBack.add(paymentId);
  try {
    return await cancel();
  } finally {
    takenBack.delete(paymentId);
  }
}

/** The payment method. Payments are added by the plugin after it read them from tilld, never by a shopper. */
export const tilldPaymentHandler = new PaymentMethodHandler({
  code: CODE,
  description: [
    { languageCode: LanguageCode.en, value: 'Bitcoin, Litecoin, Ethereum, Solana (tilld)' },
    { languageCode: LanguageCode.de, value: 'Bitcoin, Litecoin, Ethereum, Solana (tilld)' },
    { languageCode: LanguageCode.es, value: 'Bitcoin, Litecoin, Ethereum, Solana (tilld)' },
    { languageCode: LanguageCode.fr, value: 'Bitcoin, Litecoin, Ethereum, Solana (tilld)' },
    { languageCode: LanguageCode.pt, value: 'Bitcoin, Litecoin, Ethereum, Solana (tilld)' },
  ],
  args: {},
  init(injector) {
    db = injector.get(TransactionalConnection);
    guard = injector.get(TilldCancelGuard);
  },
  createPayment: (ctx, _order, amount, _args, metadata) => {
    const handed = metadata as Partial<HandedPayment>;
    if (ctx.apiType !== 'admin' || handed.paymentId === undefined || handed.state === undefined) {
      const errorMessage = 'Start the payment by the mutation createTilldPayment';
      return { amount, state: 'Error' as const, errorMessage };
    }
    return { amount: handed.amount ?? 0, state: handed.state, transactionId: handed.paymentId };
  },
  settlePayment: async (ctx, _order, payment) => {
    const row = await db.getRepository(ctx, TilldPayment).findOneBy({ paymentId: payment.transactionId });
    if (row?.state === 'paid') return { success: true };
    const errorMessage = 'tilld does not say that this payment is final';
    return { success: false, state: 'Authorized' as const, errorMessage };
  },
  cancelPayment: async (ctx, order, payment) => {
    if (takenBack.has(payment.transactionId)) return { success: true };
    const refusal = await guard.refusalFor(ctx, order);
    if (refusal === null) return { success: true };
    return { success: false, state: payment.state as 'Authorized', errorMessage: refusal };
  },
});
