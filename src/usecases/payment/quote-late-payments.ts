import type { ChainId } from '../../domain/coins.ts';
import type { Rates } from '../../domain/ports.ts';
import { inTransaction, type Db } from '../../store/database.ts';
import { unquotedOutputs, type StoredOutput } from '../../store/outputs.ts';
import { findPayment } from '../../store/payments.ts';
import { applyFacts, currentDue, type ApplyFactsDeps } from './apply-facts.ts';

export interface QuoteLatePaymentsDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly rates: Rates;
  readonly wakeWebhooks: () => void;
}

const BATCH = 100;

/** Prices late money that came while no rate was to be had, as soon as there is one. */
export async function quoteLatePayments(deps: QuoteLatePaymentsDeps, chain: ChainId): Promise<void> {
  for (const output of await unquotedOutputs(deps.db, chain, BATCH)) {
    await quoteOutput(deps, chain, output);
  }
}

async function quoteOutput(deps: QuoteLatePaymentsDeps, chain: ChainId, output: StoredOutput): Promise<void> {
  const { payment_id: paymentId } = output;
  if (paymentId === null) return;
  const payment = await findPayment(deps.db, paymentId);
  if (payment === undefined) return;
  await deps.rates.ensure(payment.currency);
  const due = currentDue(deps, payment, chain.coin);
  if (due === null) return;
  const ref = { txid: output.txid, index: output.vout };
  await inTransaction(deps.db, (tx) => applyFacts(tx, deps, paymentId, [{ type: 'late_quoted', ref, due }]));
  deps.wakeWebhooks();
}
