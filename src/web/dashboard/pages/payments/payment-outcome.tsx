import { Link } from '@tanstack/react-router';
import { useShopId } from '../../api/hooks.ts';
import type { Payment, Status } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { parts, t } from '../../i18n/t.ts';
import { LINK } from '../../ui/basics.tsx';
import { coins, fiat, when } from '../../format/format.ts';

interface Told {
  readonly amount: string;
  /** Coins, with their value at receipt; empty if there are none. */
  readonly received: string;
  readonly time: string;
  readonly exception: Payment['exception'];
}

/** The outcome of the payment in one sentence, which merchants read first. */
export function PaymentOutcome({ payment }: { payment: Payment }) {
  const { status, exception, amount, currency, expiresAt } = payment;
  const values = {
    amount: fiat(amount, currency),
    received: describeReceived(payment),
    time: when(expiresAt),
    exception,
  };
  const { supersededBy } = payment;
  return (
    <p className="mb-6 rounded-2xl border border-line bg-card p-5 wrap-anywhere">
      {supersededBy === undefined ? SENTENCES[status](values) : <Superseded by={supersededBy} />}
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
    return option === undefined || option.received === '0' ? [] : [`${coins(option.received)} ${coin}`];
  }).join(' + ');
  if (received === '' || receivedFiat === null) return received;
  return t('{received} ({worth} then)', { received, worth: fiat(receivedFiat, currency) });
}

const SENTENCES: Record<Status, (told: Told) => string> = {
  pending: ({ amount, time }) =>
    t('{amount} can be paid until {time}. Nothing has come yet.', { amount, time }),
  confirming: ({ received, amount }) =>
    t('{received} came for {amount} and waits for confirmations.', { received, amount }),
  completed: ({ received, amount, exception }) =>
    exception === 'overpaid'
      ? t('Paid: {received} came, more than the {amount} asked for.', { received, amount })
      : t('Paid: {received} came for {amount}.', { received, amount }),
  underpaid: ({ received, amount }) =>
    t('{received} came, less than the {amount} asked for.', { received, amount }),
  expired: ({ received, amount, time }) =>
    received === ''
      ? t('Nothing came for {amount} until {time}.', { amount, time })
      : t('{received} came for {amount}, after {time}.', { received, amount, time }),
  cancelled: ({ received, amount }) =>
    received === ''
      ? t('Cancelled: {amount} are no longer asked for.', { amount })
      : t('Cancelled, and {received} came nevertheless.', { received }),
  failed: ({ amount }) => t('The money that came for {amount} was taken back by the payer.', { amount }),
  refunded: ({ received, amount }) =>
    t('Given back: {received} had come for {amount}.', { received, amount }),
};
