import type { AttentionItem } from '../contract/types.ts';
import { COINS } from '../format/coins.ts';
import { formatCoins, fiat } from '../format/format.ts';
import { t } from '../i18n/t.ts';

/** Money of an item, in its fiat currency or coin; null where its value is unknown. */
export function attentionMoney({ currency }: AttentionItem, amount: string | null): string | null {
  if (amount === null || currency === null) return null;
  return COINS.some((coin) => coin === currency)
    ? `${formatCoins(amount)} ${currency}`
    : fiat(amount, currency);
}

const TITLES = {
  payment_reversed: () => t('The network took a payment back'),
  refund_claim: () => t('A payer asks for a refund'),
  send_approval: () => t('A send waits for approval'),
  refund_delayed: () => t('A refund cannot be sent'),
  send_failed: () => t('A send failed'),
  send_stuck: () => t('A send is not confirmed'),
  send_fee_limited: () => t('A send waits for a higher fee than its limit'),
  payment_late: () => t('Money arrived after the deadline'),
  payment_short: () => t('A payment is short'),
  payment_over: () => t('A payer paid too much'),
  payment_after_refund: () => t('Money arrived after the refund'),
  addresses_gone: () => t('No address is left for new orders'),
  addresses_low: () => t('Few addresses are left for new orders'),
  invoice_problem: () => t('An invoice of a subscription cannot be made'),
  subscription_past_due: () => t('A subscriber has not paid'),
  webhook_gone: () => t('A webhook endpoint answered 410'),
  webhook_failing: () => t('A webhook endpoint fails'),
  node_down: () => t('A node is behind or unreachable'),
  transactions_unread: () => t('Transactions could not be read'),
  rates_unsure: () => t('Exchange rates rest on one source'),
  backup_old: () => t('The newest backup is too old'),
  replica_behind: () => t('The replica is behind'),
  certificate_ending: () => t('The TLS certificate ends soon'),
  security_update: () => t('A release of tilld mends a security problem'),
  update_available: () => t('A newer release of tilld is available'),
} as const satisfies Record<AttentionItem['kind'], () => string>;

/** What happened. */
export function attentionTitle({ kind, subject }: AttentionItem): string {
  const { coin } = subject;
  return coin === null || subject.paymentId !== null ? TITLES[kind]() : `${coin}: ${TITLES[kind]()}`;
}

const ADVICE = {
  payment_reversed: () => t('Do not deliver yet. Send the payer the payment link again.'),
  refund_claim: () => t('Check the amount, then approve the refund.'),
  send_approval: () => t('Check the amount and the address, then approve or reject it.'),
  send_failed: () => t('No money left the wallet.'),
  send_stuck: () => t('Raise its fee, or cancel it.'),
  send_fee_limited: () => t('Raise its fee by hand, or wait for lower fees.'),
  payment_late: () => t('Accept it, or refund it on the page of the payment.'),
  payment_short: () => t('Accept the payment, or refund it on its page.'),
  payment_over: () => t('Refund the excess: the payer enters their own address.'),
  payment_after_refund: () => t('Refund it as well: the payer enters their own address.'),
  addresses_gone: () => t('Add addresses of your wallet: without any, orders cannot be paid in this coin.'),
  addresses_low: () => t('Add addresses of your wallet: without any, orders cannot be paid in this coin.'),
  subscription_past_due: () =>
    t('Send the customer the payment link again. The subscription ends after the days of grace.'),
  node_down: () => t('Payments of this coin are not seen until its node is back.'),
  transactions_unread: () => t('Their money is not credited until they are read.'),
  rates_unsure: () => t('One wrong source could price new payments wrongly.'),
  backup_old: () => t('Check the schedule of backups and the disk.'),
  replica_behind: () => t('A takeover now would lose the newest changes.'),
  certificate_ending: () => t('Renew it before payers see a warning.'),
} as const satisfies Partial<Record<AttentionItem['kind'], () => string>>;

/** Why the invoice of a subscription cannot be made, and what to do. */
export const INVOICE_PROBLEM_TEXTS = {
  rate_unavailable: () =>
    t('There is no exchange rate for its currency. It is invoiced once there is one again.'),
  coin_unavailable: () =>
    t(
      'None of its coins can be used: this server does not run it, or its list of addresses is used up. It is invoiced once one can be.',
    ),
  price_not_payable: () =>
    t('Its price is too small or too large for every coin. Change its price or quantity.'),
  other: () => t('The log of this server has the reason. It is retried every minute.'),
} as const satisfies Record<NonNullable<AttentionItem['problem']>, () => string>;

/** What to do; for endpoints and refunds that cannot be sent, what went wrong. */
export function attentionAdvice({ kind, message, problem, action }: AttentionItem): string {
  if (problem !== null) return INVOICE_PROBLEM_TEXTS[problem]();
  if (action.type === 'replace_payment')
    return t('Do not deliver. This payment can no longer be paid: request a new one.');
  const known: Partial<Record<AttentionItem['kind'], () => string>> = ADVICE;
  return known[kind]?.() ?? message;
}
