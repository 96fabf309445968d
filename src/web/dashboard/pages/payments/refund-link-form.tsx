import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Body } from '../../contract/contract.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Coin, Payment } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { t } from '../../i18n/t.ts';
import { plainAmount, add } from '../../format/decimal.ts';
import { Button } from '../../ui/basics.tsx';
import { Check, Field, Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { telling } from '../../ui/toast.ts';
import { isOverpaid, whatIsLeft } from './refund-amounts.ts';

type Wanted = Omit<Body<'POST', '/payment/refund-link'>, 'paymentId'>;

export interface NewLinkProps {
  readonly payment: Payment;
  readonly onClose: () => void;
  /** To the other ways of a refund; without it the form stands alone. */
  readonly onBack?: () => void;
}

/** Creates a link by which the payer claims a refund. */
export function NewLinkForm({ payment, onClose, onBack }: NewLinkProps) {
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
      extra={onBack && <Button onClick={onBack}>{t('Back')}</Button>}
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
