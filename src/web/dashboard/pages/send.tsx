import { useRef, useState } from 'react';
import { api, type ApiError } from '../api/client.ts';
import { useAct, useShopId } from '../api/hooks.ts';
import type { Coin, Send } from '../api/types.ts';
import { Button, CopyLine, Problem } from '../ui/basics.tsx';
import { Check, Field, fieldError, Form } from '../ui/form.tsx';
import { coins } from '../ui/format.ts';
import { MoneyPreview } from './money-preview.tsx';

interface Order {
  readonly coin: Coin;
  readonly destination: string;
  readonly amount: string;
  readonly subtractFee: boolean;
}

/** Three steps: what to send, a look at what it costs, and what became of it. */
export function SendForm(props: { coin: Coin; balance: string; onClose: () => void }) {
  const { coin, balance, onClose } = props;
  const merchantId = useShopId();
  const [order, setOrder] = useState<Order | null>(null);
  const [last, setLast] = useState<Order | null>(null);
  // One key for one order: pressing twice, or again after a lost answer, never pays twice.
  const [key, setKey] = useState('');
  const estimate = useAct(async (wanted: Order) => {
    const answer = await api('POST', '/merchant/wallet/estimate-fee', {
      query: { merchantId },
      body: wanted,
    });
    setOrder(wanted);
    setKey(crypto.randomUUID());
    return answer;
  });
  const send = useAct((wanted: Order) =>
    api('POST', '/merchant/wallet/send', { query: { merchantId }, body: wanted, idempotencyKey: key }),
  );
  if (send.data !== undefined) return <Sent send={send.data} coin={coin} onClose={onClose} />;
  if (order !== null && estimate.data !== undefined) {
    return (
      <div className="grid gap-4">
        <MoneyPreview order={order} estimate={estimate.data} />
        {send.error !== null && <Problem error={send.error} />}
        <div className="flex flex-wrap gap-2">
          <Button look="primary" busy={send.isPending} onClick={() => send.mutate(order)}>
            Send now
          </Button>
          <Button disabled={send.isPending} onClick={() => setOrder(null)}>
            Back
          </Button>
        </div>
      </div>
    );
  }
  return (
    <OrderForm
      coin={coin}
      balance={balance}
      order={last}
      busy={estimate.isPending}
      error={estimate.error}
      onOrder={(wanted) => {
        setLast(wanted);
        estimate.mutate(wanted);
      }}
    />
  );
}

function OrderForm(props: {
  readonly coin: Coin;
  readonly balance: string;
  /** What was typed before stepping back. */
  readonly order: Order | null;
  readonly busy: boolean;
  readonly error: ApiError | null;
  readonly onOrder: (order: Order) => void;
}) {
  const { coin, balance, order, error } = props;
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
        submit="Continue"
        busy={props.busy}
        error={error}
        onSubmit={({ destination, amount, subtractFee }) =>
          props.onOrder({ coin, destination, amount, subtractFee: subtractFee !== '' })
        }
        extra={
          <Button look="quiet" disabled={balance === '0'} onClick={takeAll}>
            Send everything
          </Button>
        }
      >
        <Field
          label="To address"
          name="destination"
          defaultValue={order?.destination ?? ''}
          autoComplete="off"
          spellCheck={false}
          required
          {...fieldError(error, 'destination')}
        />
        <Field
          label={`Amount in ${coin}`}
          name="amount"
          defaultValue={order?.amount ?? ''}
          inputMode="decimal"
          autoComplete="off"
          hint={`Available: ${coins(balance)} ${coin}`}
          required
          {...fieldError(error, 'amount')}
        />
        <Check
          label="Take the network fee out of the amount"
          name="subtractFee"
          defaultChecked={order?.subtractFee ?? false}
        />
      </Form>
    </div>
  );
}

function Sent({ send, coin, onClose }: { send: Send; coin: Coin; onClose: () => void }) {
  return (
    <div className="grid gap-4">
      <p role="status" className="font-semibold">
        {coins(send.amount)} {coin}{' '}
        {send.status === 'signed' ? 'will be offered to the network again' : 'are on their way'}
      </p>
      <CopyLine text={send.txHash} label="transaction id" />
      <div>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
