import { useState } from 'react';
import { api, ApiError } from '../api/client.ts';
import { useAct, useShopId } from '../api/hooks.ts';
import type { Payment } from '../api/types.ts';
import { Button, Problem } from '../ui/basics.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, fieldError, Form, Select } from '../ui/form.tsx';

/** Sends a payment's money back, or notes that it was given back some other way. */
export function RefundDialog(props: { payment: Payment; open: boolean; onClose: () => void }) {
  const { payment, open, onClose } = props;
  const merchantId = useShopId();
  const [key, setKey] = useState(() => crypto.randomUUID());
  const paid = [
    ...new Set(payment.transactions.filter((one) => one.status !== 'reversed').map((one) => one.coin)),
  ];
  const done = (): void => {
    // The next refund is another one; a repeat after an error stays the same.
    setKey(crypto.randomUUID());
    onClose();
  };
  const refund = useAct(async ({ amount = '', ...fields }: Record<string, string>) => {
    const body = { ...fields, ...(amount === '' ? {} : { amount }), merchantId, paymentId: payment.id };
    try {
      return await api('POST', '/payment/refund', { body, idempotencyKey: key });
    } catch (error) {
      // Refused for good: what is corrected then is another order. Without an answer it may have been done.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 409) {
        setKey(crypto.randomUUID());
      }
      throw error;
    }
  }, done);
  const note = useAct(
    () =>
      api('POST', '/payment/resolve', { body: { merchantId, paymentId: payment.id, action: 'refunded' } }),
    done,
  );
  return (
    <Dialog title="Refund" open={open} onClose={onClose}>
      <Form
        submit="Send the refund"
        danger
        busy={refund.isPending}
        error={refund.error}
        onSubmit={(values) => refund.mutate(values)}
      >
        <Field
          label="Payer’s address"
          name="destination"
          hint="Ask the payer for it: the address the money came from may belong to an exchange"
          required
          {...fieldError(refund.error, 'destination')}
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
          {...fieldError(refund.error, 'amount')}
        />
      </Form>
      <div className="mt-6 border-t border-line pt-4">
        <p className="mb-2 text-sm text-soft">Given back some other way?</p>
        {note.error !== null && <Problem error={note.error} />}
        <Button busy={note.isPending} onClick={() => note.mutate()}>
          Mark as refunded
        </Button>
      </div>
    </Dialog>
  );
}
