import type { MedusaContainer } from '@medusajs/framework/types';
import { messagesIn, noteText, type Language } from '../messages';
import type TilldService from '../modules/tilld/service';
import { orderPayment } from '../order-payment';
import type { PaymentRow } from './adopt';

export interface ShownPayment {
  readonly id: string;
  readonly orderId: string | null;
  readonly cartId: string | null;
  readonly sessionId: string;
  readonly amount: string;
  readonly currency: string;
  readonly state: string;
  readonly stateText: string;
  readonly captured: boolean;
  /** Whether it is the one that its order follows. */
  readonly isCurrent: boolean;
  readonly checkoutUrl: string;
  readonly notes: readonly { readonly at: string; readonly code: string; readonly text: string }[];
  readonly refunds: readonly {
    readonly id: string;
    readonly amount: string;
    readonly currency: string;
    readonly status: string;
    readonly deductFee: boolean;
    /** For the customer: who has it can claim the money. */
    readonly url: string;
  }[];
}

export interface Wanted {
  readonly order_id?: string;
  readonly cart_id?: string;
  readonly id?: string;
}

const PAGE = 50;

/** What the shopkeeper reads: payments, newest first, with their notes and refunds. */
export async function showPayments(
  container: MedusaContainer,
  wanted: Wanted,
  language: Language,
): Promise<ShownPayment[]> {
  const tilld = container.resolve<TilldService>('tilld');
  const rows = await tilld.listPayments({ ...wanted }, { take: PAGE, order: { created_at: 'DESC' } });
  const ids = rows.map(({ id }) => id);
  const notes = await tilld.listNotes({ payment_id: ids }, { order: { created_at: 'ASC' } });
  const refunds = await tilld.listRefunds({ payment_id: ids }, { order: { created_at: 'ASC' } });
  const messages = messagesIn(language);
  const isCurrent = (row: PaymentRow): boolean => {
    const same = rows.filter(({ cart_id }) => row.cart_id !== null && cart_id === row.cart_id);
    return same.length === 0 || orderPayment(same)?.id === row.id;
  };
  return rows.map((row) => ({
    id: row.id,
    orderId: row.order_id,
    cartId: row.cart_id,
    sessionId: row.session_id,
    amount: row.amount,
    currency: row.currency,
    state: row.state,
    stateText: messages.states[row.state as keyof typeof messages.states] ?? row.state,
    captured: row.captured,
    isCurrent: isCurrent(row),
    checkoutUrl: row.checkout_url,
    notes: notes
      .filter(({ payment_id }) => payment_id === row.id)
      .map(({ created_at, code, values }) => ({
        at: new Date(created_at).toISOString(),
        code,
        text: noteText(language, code, values as Record<string, string>),
      })),
    refunds: refunds
      .filter(({ payment_id }) => payment_id === row.id)
      .filter(({ status }) => status !== 'recording')
      .map(({ id, amount, currency, status, deduct_fee, sealed_url }) => ({
        id,
        amount,
        currency,
        status,
        deductFee: deduct_fee,
        url: tilld.open(sealed_url),
      })),
  }));
}
