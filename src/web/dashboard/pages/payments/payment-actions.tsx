import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Payment } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button, LINK_BUTTON, LINK_PRIMARY } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { fiat, orderName } from '../../format/format.ts';
import { MoneyLines } from '../../ui/money-lines.tsx';
import { telling } from '../../ui/toast.ts';
import { describeReceived } from './payment-outcome.tsx';
import { SharePayment } from './payment-share.tsx';
import { RefundDialog } from './refund.tsx';

/** The actions that a merchant can take on a payment in its current state. */
export function PaymentActions({ payment }: { payment: Payment }) {
  const [open, setOpen] = useState<'cancel' | 'accept' | 'refund' | null>(null);
  const may = usePermission();
  const close = (): void => setOpen(null);
  const { status, exception } = payment;
  const canBePaid = status === 'pending' || status === 'underpaid';
  const hasMoney = payment.transactions.some((one) => one.status !== 'reversed');
  const isUndecided =
    hasMoney && (status === 'underpaid' || (exception === 'late' && status !== 'completed'));
  // The next step after making a test payment is to play its payer.
  const isNext = payment.sandbox && canBePaid;
  const checkout = (
    <a
      href={payment.checkoutUrl}
      target="_blank"
      rel="noreferrer"
      className={isNext ? LINK_PRIMARY : LINK_BUTTON}
    >
      {t('Open checkout')}
    </a>
  );
  return (
    <>
      {isNext && checkout}
      {status === 'pending' && may('payments:write') && (
        <Button look="danger" onClick={() => setOpen('cancel')}>
          {t('Cancel payment')}
        </Button>
      )}
      {isUndecided && status !== 'refunded' && may('refunds:write') && (
        <Button onClick={() => setOpen('accept')}>{t('Accept as paid')}</Button>
      )}
      {hasMoney && status !== 'refunded' && may('wallet:send') && (
        <Button onClick={() => setOpen('refund')}>{t('Refund')}</Button>
      )}
      {canBePaid && <SharePayment payment={payment} isPrimary={!isNext} />}
      {!isNext && checkout}
      <Cancel payment={payment} open={open === 'cancel'} onClose={close} />
      <Accept payment={payment} open={open === 'accept'} onClose={close} />
      <RefundDialog payment={payment} open={open === 'refund'} onClose={close} />
    </>
  );
}

interface DecisionProps {
  readonly payment: Payment;
  readonly open: boolean;
  readonly onClose: () => void;
}

function Cancel({ payment, open, onClose }: DecisionProps) {
  const merchantId = useShopId();
  const cancel = useAct(
    () => api('POST', '/payment/cancel', { query: { merchantId }, body: { paymentId: payment.id } }),
    telling(t('Payment cancelled'), onClose),
  );
  return (
    <Confirm
      title={t('Cancel this payment?')}
      open={open}
      onClose={onClose}
      action={t('Yes, cancel it')}
      busy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate()}
    >
      <p>
        {t('The checkout of order {orderId} closes. A cancelled payment cannot be opened again.', {
          orderId: orderName(payment),
        })}
      </p>
      <p className="text-soft">{t('Money that arrives nevertheless is kept for you and treated as late.')}</p>
    </Confirm>
  );
}

function Accept({ payment, open, onClose }: DecisionProps) {
  const merchantId = useShopId();
  const accept = useAct(
    () =>
      api('POST', '/payment/resolve', {
        query: { merchantId },
        body: { paymentId: payment.id, action: 'accept' },
      }),
    telling(t('Payment accepted'), onClose),
  );
  return (
    <Confirm
      title={t('Accept this payment?')}
      open={open}
      onClose={onClose}
      action={t('Accept as paid')}
      busy={accept.isPending}
      error={accept.error}
      onConfirm={() => accept.mutate()}
    >
      <MoneyLines
        of={[
          [t('Asked for'), fiat(payment.amount, payment.currency)],
          [t('Received'), describeReceived(payment)],
        ]}
      />
      <p>
        {t('Order {orderId} is marked as completed with the amount received, and your shop is notified.', {
          orderId: orderName(payment),
        })}
      </p>
      <p className="text-soft">{t('This cannot be undone.')}</p>
    </Confirm>
  );
}
