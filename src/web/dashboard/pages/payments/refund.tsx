import { useRef, useState } from 'react';
import { api, type ApiError } from '../../api/client.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import type { Coin, Payment } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { plainAmount, add } from '../../format/decimal.ts';
import { Check, Field, Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { formatCoins } from '../../format/format.ts';
import { CoinSum, MoneyLines, type Price } from '../../ui/money-lines.tsx';
import { telling } from '../../ui/toast.ts';
import { ConfirmMoney, type MoneyOrder, useMoneySteps } from '../money/money-steps.tsx';

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

/** One question at a time: the form that sends money is hidden while the other one is open. */
function Refund(props: RefundProps) {
  const [isNoting, setNoting] = useState(false);
  return (
    <>
      <div hidden={isNoting}>
        <SendBack {...props} />
      </div>
      <Note {...props} isAsked={isNoting} onAsk={setNoting} />
    </>
  );
}

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
        extra={
          excess !== null && (
            <ExcessOrAll excess={excess} left={left} onChoose={(sum) => fillAmount(form.current, sum)} />
          )
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
          hint={t('Received and not refunded: {left} {coin}', { left: formatCoins(left), coin })}
          required
        />
        <Check
          label={t('Take the network fee out of the refund')}
          name="subtractFee"
          defaultChecked={last?.subtractFee ?? true}
        />
      </Form>
    </div>
  );
}

function ExcessOrAll(props: {
  readonly excess: string;
  readonly left: string;
  readonly onChoose: (amount: string) => void;
}) {
  return (
    <>
      <Button look="quiet" onClick={() => props.onChoose(props.excess)}>
        {t('Only the overpaid part')}
      </Button>
      <Button look="quiet" onClick={() => props.onChoose(props.left)}>
        {t('Full remaining amount')}
      </Button>
    </>
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

/** The received amount of a coin minus its refunds, and the part above the price if one coin was overpaid. */
export function whatIsLeft(payment: Payment, coin: Coin): { left: string; excess: string | null } {
  const { received, amount } = payment.options[coin] ?? { received: '0', amount: '0' };
  const back = payment.refunds
    .filter((refund) => refund.coin === coin && refund.status !== 'failed')
    .map(({ refunded }) => `-${refunded}`);
  const isOver = isOverpaid(payment) && listCoins(payment).length === 1;
  const excess = add([received, `-${amount}`, ...back]);
  const left = add([received, ...back]);
  return { left: isSome(left) ? left : '0', excess: isOver && isSome(excess) ? excess : null };
}

/** Whether more than the price arrived, so that a refund begins with the excess. */
export function isOverpaid({ exception }: Payment): boolean {
  return exception === 'overpaid' || exception === 'multiple';
}

function isSome(sum: string): boolean {
  return Number(sum) > 0;
}

function listCoins({ transactions }: Payment): Coin[] {
  return [...new Set(transactions.filter((one) => one.status !== 'reversed').map((one) => one.coin))];
}

const leftName = (coin: Coin): string => t('{coin} not refunded yet', { coin });

function Left({ of: payment, coin }: { of: Payment; coin: Coin }) {
  return <CoinSum amount={whatIsLeft(payment, coin).left} coin={coin} price={findPrice(payment, coin)} />;
}

/** The price of one coin when the payment was created. */
function findPrice({ options, currency }: Payment, coin: Coin): Price | undefined {
  const rate = options[coin]?.rate;
  return rate === undefined ? undefined : { rate, currency };
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
