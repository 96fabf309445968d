import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Payment, RefundLink } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { parts, t } from '../../i18n/t.ts';
import { Badge, Button, Card, Copy, Problem, Loaded } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ChainLink } from '../../ui/chain-link.tsx';
import { fiat, when } from '../../format/format.ts';
import { telling } from '../../ui/toast.ts';
import { words } from '../../ui/labels.ts';
import { NewLinkForm, type NewLinkProps } from './refund-link-form.tsx';

const LIVE_MS = 5_000;
const TONES = {
  open: 'idle',
  claimed: 'warn',
  approved: 'busy',
  paid: 'good',
  expired: 'idle',
  cancelled: 'idle',
} as const satisfies Record<RefundLink['status'], string>;

/** The refund links of a payment: create, copy, approve, revoke. */
export function RefundLinks({ payment }: { payment: Payment }) {
  const merchantId = useShopId();
  const [isOpen, setOpen] = useState(false);
  const may = usePermission();
  const close = (): void => setOpen(false);
  const links = useApi(
    '/payment/refund-links',
    { merchantId, paymentId: payment.id, limit: 20 },
    { refetchMs: LIVE_MS },
  );
  const hasMoney = payment.transactions.some((one) => one.status !== 'reversed');
  const isGivenBack = payment.status === 'refunded';
  const hasLinks = (links.data?.refundLinks.length ?? 0) > 0;
  if (!hasMoney || (isGivenBack && !hasLinks)) return null;
  return (
    <Card
      title={t('Refund links')}
      actions={
        may('refunds:write') &&
        !isGivenBack && <Button onClick={() => setOpen(true)}>{t('Refund by link')}</Button>
      }
    >
      <Loaded of={links} rows={1}>
        {({ refundLinks }) =>
          refundLinks.length === 0 ? (
            <p className="text-sm text-soft">{t('Send the payer a link; they enter their own address.')}</p>
          ) : (
            <ul aria-label={t('Refund links')} className="-my-3 divide-y divide-line">
              {refundLinks.map((link) => (
                <OneLink key={link.id} of={payment} link={link} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <NewLink payment={payment} open={isOpen} onClose={close} />
    </Card>
  );
}

function OneLink({ of: payment, link }: { of: Payment; link: RefundLink }) {
  const merchantId = useShopId();
  const query = { merchantId };
  const { id: linkId, claimId } = link;
  const may = usePermission();
  const cancel = useAct(
    () => api('POST', '/payment/refund-link/cancel', { query, body: { linkId } }),
    telling(t('Refund link cancelled')),
  );
  const approve = useAct((agreed: string) =>
    api('POST', '/payment/refund-link/approve', { query, body: { linkId, claimId: agreed } }),
  );
  // Shown after the step-up; from then on the list shows it, too.
  const show = useAct(() =>
    api('GET', '/payment/refund-links', { query: { ...query, paymentId: payment.id, urls: 'true' } }),
  );
  const isHidden = link.status === 'open' && link.url === null && may('wallet:send');
  const isUnsent = link.sendId === null && ['open', 'claimed', 'approved'].includes(link.status);
  const error = cancel.error ?? approve.error ?? show.error;
  return (
    <li className="grid gap-1.5 py-3 text-sm">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <b className="money">{fiat(link.amount, link.currency)}</b>
        <Badge tone={TONES[link.status]}>{words(link.status)}</Badge>
      </p>
      {link.status === 'open' && link.url !== null && (
        <div className="flex items-center justify-between gap-3">
          <code className="min-w-0 text-xs break-all text-soft">{link.url}</code>
          <Copy isSmall text={link.url} label={t('Copy refund link')} />
        </div>
      )}
      {link.destination !== null && (
        <p className="text-xs break-all text-soft">
          {parts('{amounts} to {address}', {
            amounts: Object.entries(link.coinAmounts).map(([coin, amount]) => `${amount} ${coin}`),
            address: <Destination of={payment} link={link} address={link.destination} />,
          })}
        </p>
      )}
      {link.status === 'open' && (
        <p className="text-xs text-soft">{t('Until {expiresAt}', { expiresAt: when(link.expiresAt) })}</p>
      )}
      {link.problem !== null && <p className="text-xs text-stop">{link.problem}</p>}
      {error !== null && <Problem error={error} />}
      {isUnsent && may('refunds:write') && (
        <p className="flex flex-wrap gap-2">
          {link.approval && link.status === 'claimed' && claimId !== null && may('wallet:send') && (
            <Button look="danger" busy={approve.isPending} onClick={() => approve.mutate(claimId)}>
              {t('Approve and send')}
            </Button>
          )}
          {isHidden && (
            <Button busy={show.isPending} onClick={() => show.mutate()}>
              {t('Show the link')}
            </Button>
          )}
          <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
            {t('Cancel link')}
          </Button>
        </p>
      )}
    </li>
  );
}

/** The payer's destination: an address of the coin that was claimed. */
function Destination(props: { of: Payment; link: RefundLink; address: string }) {
  const { of: payment, link, address } = props;
  const [coin, ...others] = COINS.filter((one) => link.coinAmounts[one] !== undefined);
  const shown = <code>{address}</code>;
  if (coin === undefined || others.length > 0) return shown;
  return (
    <ChainLink kind="address" coin={coin} text={address} sandbox={payment.sandbox}>
      {shown}
    </ChainLink>
  );
}

function NewLink({ open, ...props }: NewLinkProps & { readonly open: boolean }) {
  return (
    <Dialog title={t('Refund by link')} open={open} onClose={props.onClose}>
      <NewLinkForm {...props} />
    </Dialog>
  );
}
