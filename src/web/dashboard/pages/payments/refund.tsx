import { useRef, useState } from 'react';
import { api, type ApiError } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Coin, Payment, RefundLink } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Button, Problem } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { plainAmount, multiply } from '../../format/decimal.ts';
import { Check, Field, Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { fiat, formatCoins } from '../../format/format.ts';
import { words } from '../../ui/labels.ts';
import { CoinSum, MoneyLines } from '../../ui/money-lines.tsx';
import { telling } from '../../ui/toast.ts';
import { ConfirmMoney, type MoneyOrder, useMoneySteps } from '../money/money-steps.tsx';
import { findPrice, listCoins, whatIsLeft } from './refund-amounts.ts';
import { NewLinkForm } from './refund-link-form.tsx';

interface RefundProps {
  readonly payment: Payment;
  readonly onClose: () => void;
}

/** Refunds a payment from the wallet, or records a refund made elsewhere. */
export function RefundDialog({ open, ...props }: RefundProps & { open: boolean }) {
  return (
    <Dialog title={t('Refund')} open={open} onClose={props.onClose}>
      <Refund {...props} />
    </Dialog>
  );
}

/** One question at a time: the form that sends money is hidden while another one is open. */
function Refund(props: RefundProps) {
  const [isNoting, setNoting] = useState(false);
  const [isByLink, setByLink] = useState(false);
  if (isByLink) return <NewLinkForm {...props} onBack={() => setByLink(false)} />;
  return (
    <>
      <div hidden={isNoting}>
        <ByLink payment={props.payment} onChoose={() => setByLink(true)} />
        <SendBack {...props} />
      </div>
      <Note {...props} isAsked={isNoting} onAsk={setNoting} />
    </>
  );
}

/** The way without an address comes first; links that are open still promise money of the payment. */
function ByLink({ payment, onChoose }: { readonly payment: Payment; readonly onChoose: () => void }) {
  const merchantId = useShopId();
  const may = usePermission();
  const links = useApi('/payment/refund-links', { merchantId, paymentId: payment.id, limit: 20 });
  const open = (links.data?.refundLinks ?? []).filter(({ status }) => UNPAID.has(status));
  return (
    <div className="mb-5 grid justify-items-start gap-2 rounded-xl bg-well p-4 text-sm">
      <p>{t('Send the payer a link; they enter their own address.')}</p>
      {may('refunds:write') && (
        <Button data-starts-here onClick={onChoose}>
          {t('Refund by link')}
        </Button>
      )}
      {open.length > 0 && (
        <ul aria-label={t('Refund links')} className="w-full divide-y divide-line">
          {open.map((link) => (
            <li key={link.id} className="flex items-baseline justify-between gap-4 py-1.5">
              <b className="money">{fiat(link.amount, link.currency)}</b>
              <Badge tone="warn">{words(link.status)}</Badge>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const UNPAID: ReadonlySet<RefundLink['status']> = new Set(['open', 'claimed', 'approved']);

/** Two steps: the amount, and a preview of its costs. */
function SendBack({ payment, onClose }: RefundProps) {
  const merchantId = useShopId();
  const paymentId = payment.id;
  const steps = useMoneySteps(
    // The wallet is that of the payment's mode, even if the shop is in the other mode.
    { path: '/payment/refund', paymentId, mode: payment.sandbox ? 'sandbox' : 'live' },
    (order, idempotencyKey) =>
      api('POST', '/payment/refund', {
        query: { merchantId },
        body: { ...order, paymentId },
        idempotencyKey,
      }),
    telling(t('The refund is on its way'), onClose),
  );
  if (steps.preview !== null) {
    const price = findPrice(payment, steps.preview.order.coin);
    return <ConfirmMoney steps={steps} label={t('Send the refund')} look="danger" price={price} />;
  }
  return (
    <RefundForm
      payment={payment}
      last={steps.last}
      busy={steps.estimate.isPending}
      error={steps.estimate.error}
      onOrder={steps.look}
    />
  );
}

function RefundForm(props: {
  readonly payment: Payment;
  /** The values typed before going back. */
  readonly last: MoneyOrder | null;
  readonly busy: boolean;
  readonly error: ApiError | null;
  readonly onOrder: (wanted: MoneyOrder) => void;
}) {
  const { payment, last, error } = props;
  const paid = listCoins(payment);
  const [coin, setCoin] = useState<Coin>(last?.coin ?? paid[0] ?? 'BTC');
  const form = useRef<HTMLDivElement>(null);
  const { left, excess } = whatIsLeft(payment, coin);
  return (
    <div ref={form}>
      <Form
        fields={['destination', 'amount', 'subtractFee']}
        submit={t('Continue')}
        busy={props.busy}
        error={error}
        onSubmit={({ destination, amount, subtractFee }) =>
          props.onOrder({
            coin,
            destination: destination.trim(),
            amount: plainAmount(amount),
            subtractFee: subtractFee !== '',
          })
        }
      >
        <AddressField last={last} />
        {paid.length > 1 && (
          <Select
            label={t('Coin')}
            name="coin"
            value={coin}
            onChange={({ target }) => setCoin(COINS.find((one) => one === target.value) ?? coin)}
          >
            {paid.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
        )}
        <Field
          key={coin}
          label={t('Amount in {coin}', { coin })}
          name="amount"
          defaultValue={last?.coin === coin ? last.amount : (excess ?? left)}
          inputMode="decimal"
          autoComplete="off"
          hint={describeLeft(payment, coin)}
          required
        />
        {excess !== null && (
          <ExcessOrAll excess={excess} left={left} onChoose={(sum) => fillAmount(form.current, sum)} />
        )}
        <Check
          label={t('Take the network fee out of the refund')}
          name="subtractFee"
          defaultChecked={last?.subtractFee ?? true}
        />
      </Form>
    </div>
  );
}

/** What can be refunded, with its value at the rate of the payment. */
function describeLeft(payment: Payment, coin: Coin): string {
  const { left } = whatIsLeft(payment, coin);
  const price = findPrice(payment, coin);
  const text = t('Received and not refunded: {left} {coin}', { left: formatCoins(left), coin });
  return price === undefined ? text : `${text} · ${fiat(multiply(left, price.rate), price.currency)}`;
}

function ExcessOrAll(props: {
  readonly excess: string;
  readonly left: string;
  readonly onChoose: (amount: string) => void;
}) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => props.onChoose(props.excess)}>{t('Only the overpaid part')}</Button>
      <Button onClick={() => props.onChoose(props.left)}>{t('Full remaining amount')}</Button>
    </div>
  );
}

function AddressField({ last }: { last: MoneyOrder | null }) {
  return (
    <Field
      label={t('Payer’s address')}
      name="destination"
      hint={t('Ask the payer for it: the address the money came from may belong to an exchange')}
      defaultValue={last?.destination ?? ''}
      autoComplete="off"
      spellCheck={false}
      required
    />
  );
}

function fillAmount(form: HTMLElement | null, amount: string): void {
  const field = form?.querySelector<HTMLInputElement>('[name="amount"]');
  if (field instanceof HTMLInputElement) field.value = amount;
}

const leftName = (coin: Coin): string => t('{coin} not refunded yet', { coin });

function Left({ of: payment, coin }: { of: Payment; coin: Coin }) {
  return <CoinSum amount={whatIsLeft(payment, coin).left} coin={coin} price={findPrice(payment, coin)} />;
}

/** The refund was made elsewhere: recorded in the shop, and not reversible. */
function Note(
  props: RefundProps & { readonly isAsked: boolean; readonly onAsk: (isAsked: boolean) => void },
) {
  const { payment, onClose, isAsked, onAsk } = props;
  const merchantId = useShopId();
  const note = useAct(
    () =>
      api('POST', '/payment/resolve', {
        query: { merchantId },
        body: { paymentId: payment.id, action: 'refunded' },
      }),
    telling(t('Marked as refunded'), onClose),
  );
  return (
    <div className="mt-6 grid justify-items-start gap-2 border-t border-line pt-4">
      <p className="text-sm text-soft">{t('Already refunded elsewhere?')}</p>
      {note.error !== null && <Problem error={note.error} />}
      {isAsked ? (
        <>
          <div className="w-full">
            <MoneyLines
              of={listCoins(payment).map((coin) => [
                leftName(coin),
                <Left key={coin} of={payment} coin={coin} />,
              ])}
            />
          </div>
          <p className="text-sm text-warn">
            {t(
              'No money is sent. The shop is notified that this payment was refunded. The rest can no longer be refunded. This cannot be undone.',
            )}
          </p>
          <div className="flex flex-wrap gap-2">
            <Button look="danger" busy={note.isPending} onClick={() => note.mutate()}>
              {t('Yes, mark as refunded')}
            </Button>
            <Button disabled={note.isPending} onClick={() => onAsk(false)}>
              {t('Back')}
            </Button>
          </div>
        </>
      ) : (
        <Button onClick={() => onAsk(true)}>{t('Mark as refunded')}</Button>
      )}
    </div>
  );
}
