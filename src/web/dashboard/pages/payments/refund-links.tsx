import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Body } from '../../contract/contract.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Coin, Payment, RefundLink } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { parts, t } from '../../i18n/t.ts';
import { Badge, Button, Card, Copy, Problem, Loaded } from '../../ui/basics.tsx';
import { plainAmount, add } from '../../format/decimal.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ChainLink } from '../../ui/chain-link.tsx';
import { Check, Field, Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { fiat, when } from '../../format/format.ts';
import { telling } from '../../ui/toast.ts';
import { words } from '../../ui/labels.ts';
import { isOverpaid, whatIsLeft } from './refund.tsx';

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

type Wanted = Omit<Body<'POST', '/payment/refund-link'>, 'paymentId'>;

interface NewLinkProps {
  readonly payment: Payment;
  readonly onClose: () => void;
}

function NewLink({ open, ...props }: NewLinkProps & { readonly open: boolean }) {
  return (
    <Dialog title={t('Refund by link')} open={open} onClose={props.onClose}>
      <NewLinkForm {...props} />
    </Dialog>
  );
}

function NewLinkForm({ payment, onClose }: NewLinkProps) {
  const merchantId = useShopId();
  const [what, setWhat] = useState(isOverpaid(payment) ? 'excess' : 'all');
  const make = useAct(
    (wanted: Wanted) =>
      api('POST', '/payment/refund-link', {
        query: { merchantId },
        body: { ...wanted, paymentId: payment.id },
      }),
    telling(t('Refund link created'), onClose),
  );
  const paid = COINS.filter((coin) => payment.transactions.some((one) => one.coin === coin));
  return (
    <Form
      fields={['what', 'amount', 'coin', 'reason', 'approval', 'deductFee']}
      submit={t('Create link')}
      busy={make.isPending}
      error={make.error}
      onSubmit={({ amount, coin: chosen, reason, approval, deductFee }) => {
        const coin = COINS.find((one) => one === chosen);
        const isAmount = what === 'amount';
        make.mutate({
          ...(isAmount
            ? { amount: plainAmount(amount), currency: payment.currency }
            : { preset: what === 'excess' ? what : 'all' }),
          ...(coin === undefined ? {} : { coin }),
          ...(reason === '' ? {} : { reason }),
          approval: approval !== '',
          deductFee: deductFee !== '',
        });
      }}
    >
      <Select
        label={t('Give back')}
        name="what"
        value={what}
        onChange={({ target }) => setWhat(target.value)}
      >
        {isOverpaid(payment) && <option value="excess">{t('Only the overpaid part')}</option>}
        <option value="all">{t('Full remaining amount')}</option>
        <option value="amount">{t('An amount')}</option>
      </Select>
      {what === 'amount' && (
        <Field
          label={t('Amount in {currency}', { currency: payment.currency })}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          required
        />
      )}
      {paid.length > 1 && (
        <Select label={t('Coin')} name="coin">
          <option value="">{t('The payer chooses')}</option>
          {paid.map((coin) => (
            <option key={coin}>{coin}</option>
          ))}
        </Select>
      )}
      <Field label={t('Reason, shown to the payer (optional)')} name="reason" />
      <Check label={t('Ask me before sending')} name="approval" />
      <DeductFee payment={payment} coins={paid} />
    </Form>
  );
}

/** Preselected if the wallet holds no more than the payment, because the fee then has no other source. */
function DeductFee({ payment, coins }: { payment: Payment; coins: readonly Coin[] }) {
  const merchantId = useShopId();
  const may = usePermission();
  const mode = payment.sandbox ? 'sandbox' : 'live';
  const { data } = useApi('/merchant/wallet/balances', { merchantId, mode }, { enabled: may('wallet:read') });
  const isShort =
    data !== undefined && coins.some((coin) => !isMore(data[coin], whatIsLeft(payment, coin).left));
  return (
    <div>
      <Check
        key={String(isShort)}
        label={t('Take the network fee out of the refund')}
        name="deductFee"
        defaultChecked={isShort}
      />
      {isShort && (
        <p className="text-sm text-soft">
          {t('Your wallet holds no more than this payment: it cannot pay the network fee on top.')}
        </p>
      )}
    </div>
  );
}

function isMore(amount: string, than: string): boolean {
  return Number(add([amount, `-${than}`])) > 0;
}
