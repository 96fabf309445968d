import { Link } from '@tanstack/react-router';
import { useShopId } from '../../api/hooks.ts';
import type { Payment, Status } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { parts, t } from '../../i18n/t.ts';
import { LINK } from '../../ui/basics.tsx';
import { formatCoins, fiat, when } from '../../format/format.ts';

interface Outcome {
  readonly amount: string;
  /** Coins, with their value at receipt; empty if there are none. */
  readonly received: string;
  readonly time: string;
  readonly exception: Payment['exception'];
}

/** The outcome of the payment in one sentence, which merchants read first. */
export function PaymentOutcome({ payment }: { payment: Payment }) {
  const { status, exception, amount, currency, expiresAt } = payment;
  const outcome = {
    amount: fiat(amount, currency),
    received: describeReceived(payment),
    time: when(expiresAt),
    exception,
  };
  const { supersededBy } = payment;
  return (
    <p className="mb-6 rounded-2xl border border-line bg-card p-5 wrap-anywhere">
      {supersededBy === undefined ? describeOutcome(status, outcome) : <Superseded by={supersededBy} />}
    </p>
  );
}

function Superseded({ by }: { by: string }) {
  const shopId = useShopId();
  return parts('The money of this order counts towards {payment}, including what comes to this one.', {
    payment: (
      <Link to="/shop/$shopId/payments/$paymentId" params={{ shopId, paymentId: by }} className={LINK}>
        {t('another payment')}
      </Link>
    ),
  });
}

/** The received coins, with their value at receipt; empty if there are none. */
export function describeReceived({ options, receivedFiat, currency }: Payment): string {
  const received = COINS.flatMap((coin) => {
    const option = options[coin];
    return option === undefined || option.received === '0' ? [] : [`${formatCoins(option.received)} ${coin}`];
  }).join(' + ');
  if (received === '' || receivedFiat === null) return received;
  return t('{received} ({worth} then)', { received, worth: fiat(receivedFiat, currency) });
}

function describeOutcome(status: Status, outcome: Outcome): string {
  const { exception, received, amount } = outcome;
  if (exception !== 'reversed' || status === 'refunded') return SENTENCES[status](outcome);
  if (received === '') return SENTENCES.failed(outcome);
  return t('{received} is left for {amount}: the network dropped the rest, which may still arrive.', {
    received,
    amount,
  });
}

const SENTENCES: Record<Status, (outcome: Outcome) => string> = {
  pending: ({ amount, time }) => t('{amount} can be paid until {time}. No payment yet.', { amount, time }),
  confirming: ({ received, amount }) =>
    t('{received} received for {amount}, waiting for confirmations.', { received, amount }),
  completed: ({ received, amount, exception }) =>
    exception === 'overpaid'
      ? t('Paid: {received}, more than the price of {amount}.', { received, amount })
      : t('Paid in full: {received} for {amount}.', { received, amount }),
  underpaid: ({ received, amount }) =>
    t('{received} received, less than the price of {amount}.', { received, amount }),
  expired: ({ received, amount, time }) =>
    received === ''
      ? t('{amount} were not paid by the deadline ({time}).', { amount, time })
      : t('{received} arrived for {amount} after the deadline ({time}).', { received, amount, time }),
  cancelled: ({ received, amount }) =>
    received === ''
      ? t('Cancelled. The payer is no longer asked for {amount}.', { amount })
      : t('Cancelled, but {received} arrived.', { received }),
  failed: ({ amount }) =>
    t('The network dropped the payment of {amount}. Do not deliver yet: it may still arrive.', { amount }),
  refunded: ({ received, amount }) =>
    t('Refunded: {received} had been received for {amount}.', { received, amount }),
};
