import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { AttentionItem } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { t } from '../../i18n/t.ts';
import { attentionMoney } from '../../ui/attention-words.ts';
import { Button, Copy, LINK_PRIMARY, Problem } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { telling } from '../../ui/toast.ts';

interface ActionProps {
  readonly item: AttentionItem;
  readonly onRefundLink: (url: string) => void;
}

/** The one action that settles an item, if the reader's role allows it. */
export function AttentionAction({ item, onRefundLink }: ActionProps) {
  const may = usePermission();
  const { type, url } = item.action;
  if (type === 'request_payment') {
    return (
      <Copy text={url} label={t('Copy payment link')} look="primary">
        {t('Copy payment link')}
      </Copy>
    );
  }
  if (type === 'replace_payment') return may('payments:write') ? <Replace item={item} /> : null;
  if (type === 'approve_refund') {
    return (
      <>
        {may('wallet:send') && <Approve item={item} />}
        {may('refunds:write') && <Decline item={item} />}
      </>
    );
  }
  if (type === 'approve_send') return <DecideSend sendId={item.subject.sendId ?? ''} />;
  const isDecision = type === 'accept_payment' || type === 'decide_payment';
  if (!isDecision && type !== 'refund_excess') return <GoTo item={item} />;
  if (!may('refunds:write')) return null;
  return isDecision ? <Accept item={item} /> : <RefundExcess item={item} onRefundLink={onRefundLink} />;
}

/** The form of a new payment, with the price of the one that ended. */
function Replace({ item: { price, currency } }: { item: AttentionItem }) {
  const shopId = useShopId();
  return (
    <Link
      to="/shop/$shopId/payments"
      params={{ shopId }}
      search={{ create: 'payment', amount: price ?? undefined, currency: currency ?? undefined }}
      className={LINK_PRIMARY}
    >
      {t('Request a new payment')}
    </Link>
  );
}

function Accept({ item }: { item: AttentionItem }) {
  const merchantId = useShopId();
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const paymentId = item.subject.paymentId ?? '';
  const accept = useAct(
    () => api('POST', '/payment/resolve', { query: { merchantId }, body: { paymentId, action: 'accept' } }),
    telling(t('Payment accepted'), close),
  );
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        {t('Accept as paid')}
      </Button>
      <Confirm
        title={t('Accept this payment?')}
        open={isOpen}
        onClose={close}
        action={t('Accept as paid')}
        busy={accept.isPending}
        error={accept.error}
        onConfirm={() => accept.mutate()}
      >
        <p className="money">
          {t('{amount} of {price}', {
            amount: attentionMoney(item, item.amount) ?? '?',
            price: attentionMoney(item, item.price) ?? '?',
          })}
        </p>
        <p className="text-soft">{t('You can’t undo this.')}</p>
      </Confirm>
    </>
  );
}

/** A link by which the payer claims the excess, or all that arrived after a refund; it is on the page, because the item leaves the list with it. */
function RefundExcess({ item, onRefundLink }: ActionProps) {
  const merchantId = useShopId();
  const coin = COINS.find((one) => one === item.currency);
  const isAfterRefund = item.kind === 'payment_after_refund';
  const make = useAct(
    () =>
      api('POST', '/payment/refund-link', {
        query: { merchantId },
        body: {
          paymentId: item.subject.paymentId ?? '',
          preset: isAfterRefund ? 'all' : 'excess',
          ...(coin === undefined ? {} : { coin }),
          deductFee: true,
        },
      }),
    ({ url }) => {
      if (url !== null) onRefundLink(url);
    },
  );
  return (
    <>
      <Button look="primary" busy={make.isPending} onClick={() => make.mutate()}>
        {isAfterRefund ? t('Refund the payer') : t('Refund the excess')}
      </Button>
      {make.error !== null && <Problem error={make.error} />}
    </>
  );
}

function Approve({ item }: { item: AttentionItem }) {
  const merchantId = useShopId();
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const { linkId, claimId } = item.subject;
  const approve = useAct(
    () =>
      api('POST', '/payment/refund-link/approve', {
        query: { merchantId },
        body: { linkId: linkId ?? '', claimId: claimId ?? '' },
      }),
    telling(t('The refund is on its way'), close),
  );
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        {t('Approve and send')}
      </Button>
      <Confirm
        title={t('Send this refund?')}
        open={isOpen}
        onClose={close}
        action={t('Approve and send')}
        busy={approve.isPending}
        error={approve.error}
        onConfirm={() => approve.mutate()}
      >
        <p className="money font-bold">{attentionMoney(item, item.amount)}</p>
        <p>
          <span className="block text-soft">{t('To this address')}</span>
          <code className="break-all">{item.subject.destination}</code>
        </p>
        <p className="text-soft">{t('You can’t undo this.')}</p>
      </Confirm>
    </>
  );
}

/** Ends the link of the claim without a refund. */
function Decline({ item }: { item: AttentionItem }) {
  const merchantId = useShopId();
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const decline = useAct(
    () =>
      api('POST', '/payment/refund-link/cancel', {
        query: { merchantId },
        body: { linkId: item.subject.linkId ?? '' },
      }),
    telling(t('Refund declined'), close),
  );
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('Decline')}</Button>
      <Confirm
        title={t('Decline this refund?')}
        open={isOpen}
        onClose={close}
        action={t('Yes, decline it')}
        busy={decline.isPending}
        error={decline.error}
        onConfirm={() => decline.mutate()}
      >
        <p className="money font-bold">{attentionMoney(item, item.amount)}</p>
        <p className="text-soft">{t('No money is sent, and the refund page tells the payer.')}</p>
      </Confirm>
    </>
  );
}

/** The dialog of the wallet page, which shows why it waits, too. */
function DecideSend({ sendId }: { sendId: string }) {
  const shopId = useShopId();
  return (
    <Link
      to="/shop/$shopId/wallet"
      params={{ shopId }}
      search={(before: object) => ({ ...before, approve: sendId })}
      className={LINK_PRIMARY}
    >
      {t('Decide')}
    </Link>
  );
}

function GoTo({ item }: { item: AttentionItem }) {
  const { type } = item.action;
  const { subscriptionId } = item.subject;
  const shopId = useShopId();
  const may = usePermission();
  if (type === 'open_nodes') {
    return (
      <Link to="/nodes" className={LINK_PRIMARY}>
        {t('Open nodes')}
      </Link>
    );
  }
  if (type === 'open_subscription') {
    return (
      <Link
        to="/shop/$shopId/subscriptions/$subscriptionId"
        params={{ shopId, subscriptionId: subscriptionId ?? '' }}
        className={LINK_PRIMARY}
      >
        {t('Open the subscription')}
      </Link>
    );
  }
  if (type === 'retry_endpoint') {
    return (
      <Link to="/shop/$shopId/webhooks" params={{ shopId }} className={LINK_PRIMARY}>
        {t('Open webhooks')}
      </Link>
    );
  }
  if (!may('wallet:read')) return null;
  if (type === 'add_addresses') {
    return (
      <Link
        to="/shop/$shopId/wallet"
        params={{ shopId }}
        search={(before: object) => ({ ...before, open: 'watch' })}
        className={LINK_PRIMARY}
      >
        {t('Add addresses')}
      </Link>
    );
  }
  const { sendId } = item.subject;
  const isSlow = item.kind === 'send_stuck' || item.kind === 'send_fee_limited';
  if (isSlow && sendId !== null && may('wallet:send')) {
    return (
      <Link
        to="/shop/$shopId/wallet"
        params={{ shopId }}
        search={(before: object) => ({ ...before, raise: sendId })}
        className={LINK_PRIMARY}
      >
        {t('Raise the fee')}
      </Link>
    );
  }
  return (
    <Link to="/shop/$shopId/wallet" params={{ shopId }} className={LINK_PRIMARY}>
      {t('Open the wallet')}
    </Link>
  );
}
