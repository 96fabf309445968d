import type { ChainId } from '../../domain/coins.ts';
import type { PaymentFact } from '../../domain/payment/types.ts';
import type { Rates } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { paymentsWithUnquotedMoney, listUnquotedOutputs } from '../../store/payments/payments-with-money.ts';
import { findPayment } from '../../store/payments/payments.ts';
import { applyFacts, currentDue, type ApplyFactsDeps } from './apply-facts.ts';
import { findPricing } from './payment-group.ts';
import { isolateFailures } from './isolate-failures.ts';

export interface QuoteLatePaymentsDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly rates: Rates;
  readonly wakeWebhooks: () => void;
}

const PAGE = 100;
/** Bounds one run; the next one starts from the beginning. */
const MAX_PAGES = 100;

/** Prices late money that arrived without an available rate, as soon as there is one. */
export async function quoteLatePayments(deps: QuoteLatePaymentsDeps, chain: ChainId): Promise<void> {
  const requested = new Set<string>();
  const alone = isolateFailures(deps.logger);
  let after = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const paymentIds = await paymentsWithUnquotedMoney(deps.db, chain, after, PAGE);
    for (const paymentId of paymentIds) {
      await alone(paymentId, async () => quotePayment(deps, chain, paymentId, requested));
    }
    const last = paymentIds.at(-1);
    if (last === undefined || paymentIds.length < PAGE) return;
    after = last;
  }
}

/** `requested`: currencies whose rates were already requested in this run. */
async function quotePayment(
  deps: QuoteLatePaymentsDeps,
  chain: ChainId,
  paymentId: string,
  requested: Set<string>,
): Promise<void> {
  const payee = await findPayment(deps.db, paymentId);
  if (payee === undefined) return;
  const payment = await findPricing(deps.db, payee);
  if (!requested.has(payment.currency)) await deps.rates.ensure(payment.currency);
  requested.add(payment.currency);
  const due = currentDue(deps, payment, chain.coin);
  if (due === null) return;
  await deps.db.transaction(async (tx) => {
    const outputs = await listUnquotedOutputs(tx, chain, paymentId);
    const facts = outputs.map((output): PaymentFact => {
      const ref = { txid: output.txid, index: output.vout };
      return { type: 'late_quoted', ref, due };
    });
    await applyFacts(tx, deps, paymentId, facts);
  });
  deps.wakeWebhooks();
}
