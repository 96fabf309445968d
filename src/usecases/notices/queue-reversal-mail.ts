import type { SecretBox } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import { interpolate } from '../../i18n/interpolate.ts';
import { parseLanguage } from '../../i18n/languages.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { findPayment } from '../../store/payments/payments.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { findPayerMailbox } from '../checkout/index.ts';
import { queueMail, safeOrderName } from '../mail/index.ts';
import { buildMail, noticeTexts, shopValues } from './notice-text.ts';

export interface ReversalMailDeps {
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  readonly baseUrl: string;
}

/** The payer has paid again or given up by then. */
const LIFETIME_MS = 24 * 3_600_000;

/**
 * Tells the payer of a payment, whose address the shop has, that the network dropped the money; nothing where the
 * money is back already. Runs in the transaction that marks the event as processed: one mail for each reversal.
 */
export async function queueReversalMail(
  tx: Tx,
  deps: ReversalMailDeps,
  { paymentId, seq }: { readonly paymentId: string; readonly seq: number },
): Promise<void> {
  const payment = await findPayment(tx, paymentId);
  if (payment?.exception !== 'reversed') return;
  const { merchantId, mode } = payment;
  const merchant = await findMerchant(tx, merchantId);
  const isTest = mode === 'sandbox';
  const mailbox = await findPayerMailbox(tx, deps, { paymentId, merchantId, isTest });
  if (merchant === undefined || mailbox === null) return;
  const language = (payment.locale === null ? null : parseLanguage(payment.locale)) ?? 'en';
  const texts = noticeTexts(language);
  const values = { order: safeOrderName(payment, paymentId), ...shopValues(deps, merchant, 'body') };
  const subject = interpolate(texts.payerReversedSubject, {
    ...values,
    ...shopValues(deps, merchant, 'subject'),
  });
  await queueMail(tx, deps, {
    id: `reversed_${paymentId}_${seq}`,
    userId: mailbox.userId,
    to: mailbox.email,
    kind: 'receipt',
    text: buildMail(deps, language, {
      subject: isTest ? `${texts.test}: ${subject}` : subject,
      body: interpolate(texts.payerReversedBody, values),
      link: `${deps.baseUrl}/checkout/${paymentId}?lang=${language}`,
      why: interpolate(texts.payerReversedWhy, values),
      unsubscribe: null,
      shop: null,
    }),
    expiresAt: deps.clock.now() + LIFETIME_MS,
  });
}
