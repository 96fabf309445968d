import { useRef, useState } from 'react';
import type { ApiError } from '../../api/client.ts';
import type { Mode } from '../../api/mode.ts';
import type { Coin } from '../../contract/types.ts';
import { plainAmount } from '../../format/decimal.ts';
import { formatCoins } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/basics.tsx';
import { Check, Field } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { ChooseOutputs, type ChosenOutput } from './choose-outputs.tsx';
import type { SendOrder } from './money-steps.tsx';
import { RecipientRows, useRecipientRows } from './recipient-rows.tsx';

interface OrderFormProps {
  readonly coin: Coin;
  readonly mode: Mode;
  readonly balance: string;
  /** From a watched account, whose outputs the server chooses. */
  readonly isWatched: boolean;
  /** The values typed before going back. */
  readonly order: SendOrder | null;
  readonly busy: boolean;
  readonly error: ApiError | null;
  readonly onOrder: (order: SendOrder) => void;
}

/** A send to one recipient or, of coins held in outputs, to several and from chosen outputs. */
export function OrderForm(props: OrderFormProps) {
  const { coin, mode, order, isWatched } = props;
  const [isBatch, setIsBatch] = useState(order?.outputs !== undefined);
  const [isChoosing, setIsChoosing] = useState(!props.isWatched && order?.inputs !== undefined);
  const [chosen, setChosen] = useState<readonly ChosenOutput[]>(props.isWatched ? [] : (order?.inputs ?? []));
  const onOrder = (wanted: SendOrder): void =>
    props.onOrder(chosen.length === 0 ? wanted : { ...wanted, inputs: [...chosen] });
  const Fields = isBatch ? BatchForm : SingleForm;
  if (coin !== 'BTC' && coin !== 'LTC') return <SingleForm {...props} />;
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap gap-2">
        <Button look="quiet" onClick={() => setIsBatch(!isBatch)}>
          {isBatch ? t('One recipient') : t('Several recipients')}
        </Button>
        {!isWatched && (
          <Button
            look="quiet"
            aria-expanded={isChoosing}
            onClick={() => {
              setIsChoosing(!isChoosing);
              setChosen([]);
            }}
          >
            {isChoosing ? t('Let the wallet choose') : t('Choose outputs')}
          </Button>
        )}
      </div>
      {isChoosing && <ChooseOutputs coin={coin} mode={mode} chosen={chosen} onChoose={setChosen} />}
      <Fields {...props} onOrder={onOrder} />
    </div>
  );
}

function SingleForm({ coin, balance, order, busy, error, onOrder }: OrderFormProps) {
  const form = useRef<HTMLDivElement>(null);
  const takeAll = (): void => {
    const amount = form.current?.querySelector<HTMLInputElement>('[name="amount"]');
    const subtract = form.current?.querySelector<HTMLInputElement>('[name="subtractFee"]');
    if (amount instanceof HTMLInputElement) amount.value = 'max';
    if (subtract instanceof HTMLInputElement) subtract.checked = true;
  };
  return (
    <div ref={form}>
      <Form
        fields={['destination', 'amount', 'subtractFee']}
        submit={t('Continue')}
        busy={busy}
        error={error}
        onSubmit={({ destination, amount, subtractFee }) =>
          onOrder({
            coin,
            destination: destination.trim(),
            amount: plainAmount(amount),
            subtractFee: subtractFee !== '',
          })
        }
        extra={
          <Button look="quiet" disabled={balance === '0'} onClick={takeAll}>
            {t('Send everything')}
          </Button>
        }
      >
        <Field
          label={t('To address')}
          name="destination"
          defaultValue={order?.destination ?? ''}
          autoComplete="off"
          spellCheck={false}
          required
        />
        <Field
          label={t('Amount in {coin}', { coin })}
          name="amount"
          defaultValue={order?.amount ?? ''}
          inputMode="decimal"
          autoComplete="off"
          hint={t('Available: {balance} {coin}', { balance: formatCoins(balance), coin })}
          required
        />
        <DeductFee order={order} />
      </Form>
    </div>
  );
}

function BatchForm({ coin, order, busy, error, onOrder }: OrderFormProps) {
  const recipients = useRecipientRows(order?.outputs ?? []);
  const fields = recipients.rows.flatMap((_row, at) => [`outputs.${at}.destination`, `outputs.${at}.amount`]);
  return (
    <Form
      fields={[...fields, 'subtractFee']}
      submit={t('Continue')}
      busy={busy}
      error={error}
      onSubmit={(values) =>
        onOrder({
          coin,
          outputs: recipients.rows.map((_row, at) => ({
            destination: (values[`outputs.${at}.destination`] ?? '').trim(),
            amount: plainAmount(values[`outputs.${at}.amount`] ?? ''),
          })),
          subtractFee: (values['subtractFee'] ?? '') !== '',
        })
      }
    >
      <RecipientRows of={recipients} coin={coin} />
      <DeductFee order={order} />
    </Form>
  );
}

function DeductFee({ order }: { order: SendOrder | null }) {
  return (
    <Check
      label={t('Deduct the network fee from the amount')}
      name="subtractFee"
      defaultChecked={order?.subtractFee ?? false}
    />
  );
}
