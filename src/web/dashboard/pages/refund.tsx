import { useRef } from 'react';
import { api, ApiError } from '../api/client.ts';
import type { Body } from '../api/contract.ts';
import { useAct, useShopId } from '../api/hooks.ts';
import type { Coin, Payment } from '../api/types.ts';
import { COINS } from '../coins.ts';
import { Button, Problem } from '../ui/basics.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, fieldError, Form, Select } from '../ui/form.tsx';

interface RefundProps {
  readonly payment: Payment;
  readonly onClose: () => void;
}

/** Sends a payment's money back, or notes that it was given back some other way. */
export function RefundDialog({ open, ...props }: RefundProps & { open: boolean }) {
  return (
    <Dialog title="Refund" open={open} onClose={props.onClose}>
      <SendBack {...props} />
      <Note {...props} />
    </Dialog>
  );
}

type Wanted = Omit<Body<'POST', '/payment/refund'>, 'paymentId'>;

function SendBack({ payment, onClose }: RefundProps) {
  const merchantId = useShopId();
  const made = useRef({ text: '', key: '' });
  // The same refund again, after a lost answer, is done once; another one is another.
  const keyOf = (wanted: Wanted): string => {
    const text = JSON.stringify(wanted);
    if (made.current.text !== text) made.current = { text, key: crypto.randomUUID() };
    return made.current.key;
  };
  const refund = useAct(
    async (wanted: Wanted) => {
      try {
        return await api('POST', '/payment/refund', {
          query: { merchantId },
          body: { ...wanted, paymentId: payment.id },
          idempotencyKey: keyOf(wanted),
        });
      } catch (error) {
        // Refused for good: what comes then is another order. Without an answer it may have been done.
        if (isRefused(error)) made.current = { text: '', key: '' };
        throw error;
      }
    },
    () => {
      made.current = { text: '', key: '' };
      onClose();
    },
  );
  const paid = coinsOf(payment);
  const { error } = refund;
  return (
    <Form
      fields={['destination', 'coin', 'amount']}
      submit="Send the refund"
      danger
      busy={refund.isPending}
      error={error}
      onSubmit={({ destination, coin: chosen, amount }) => {
        const coin = COINS.find((one) => one === chosen);
        refund.mutate({
          destination,
          ...(coin === undefined ? {} : { coin }),
          ...(amount === '' ? {} : { amount }),
        });
      }}
    >
      <Field
        label="Payer’s address"
        name="destination"
        hint="Ask the payer for it: the address the money came from may belong to an exchange"
        autoComplete="off"
        spellCheck={false}
        required
        {...fieldError(error, 'destination')}
      />
      {paid.length > 1 && (
        <Select label="Coin" name="coin">
          {paid.map((coin) => (
            <option key={coin}>{coin}</option>
          ))}
        </Select>
      )}
      <Field
        label="Amount (optional)"
        name="amount"
        inputMode="decimal"
        hint={`In ${paid.join(' or ')}; everything received when left empty`}
        {...fieldError(error, 'amount')}
      />
    </Form>
  );
}

function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 409;
}

function coinsOf({ transactions }: Payment): Coin[] {
  return [...new Set(transactions.filter((one) => one.status !== 'reversed').map((one) => one.coin))];
}

function Note({ payment, onClose }: RefundProps) {
  const merchantId = useShopId();
  const note = useAct(
    () =>
      api('POST', '/payment/resolve', {
        query: { merchantId },
        body: { paymentId: payment.id, action: 'refunded' },
      }),
    onClose,
  );
  return (
    <div className="mt-6 grid justify-items-start gap-2 border-t border-line pt-4">
      <p className="text-sm text-soft">Given back some other way?</p>
      {note.error !== null && <Problem error={note.error} />}
      <Button busy={note.isPending} onClick={() => note.mutate()}>
        Mark as refunded
      </Button>
    </div>
  );
}
