import type { MedusaContainer } from '@medusajs/framework/types';
import { refundPaymentWorkflow } from '@medusajs/medusa/core-flows';
import type { Payment, Tilld } from '@tilld/sdk';
import { unrecordedRefunds } from '@tilld/sdk/shop';
import { isForAmount, fiat } from '../money';
import type TilldService from '../modules/tilld/service';
import type { PaymentRow } from './adopt';
import type { Session } from './find';

/** Of what Medusa is being told of: the provider takes it for what it is. */
const RECORDING = 'recording';

interface Scene {
  readonly container: MedusaContainer;
  readonly tilld: TilldService;
  readonly client: Tilld;
}

/** What the owner gave back at tilld becomes a refund of Medusa: neither side gives it back again. */
export async function recordReturned(
  { container, tilld }: Scene,
  row: PaymentRow,
  payment: Payment,
  session: Session | null,
): Promise<void> {
  if (session === null) return;
  const medusaPayment = session.payment;
  if (payment.refunds.length === 0 || !medusaPayment?.isCaptured || !row.captured) return;
  const isLower = !isForAmount(payment, session.amount, session.currency);
  const price = isLower ? fiat(session.amount, session.currency) : payment.amount;
  const known = await tilld.listRefunds({ payment_id: payment.id }, { take: null });
  const recorded = new Set(known.filter(({ status }) => status !== RECORDING).map(({ link_id }) => link_id));
  for (const { sendId, amount } of unrecordedRefunds(payment, price, recorded)) {
    const marker = `elsewhere:${sendId}`;
    const { currency } = payment;
    const part = { amount, currency };
    const fields = { payment_id: payment.id, link_id: sendId, sealed_url: tilld.seal(''), ...part };
    const [left] = await tilld.listRefunds({ id: marker }, { take: 1 });
    if (left === undefined) await tilld.createRefunds({ id: marker, ...fields, status: RECORDING });
    await refundPaymentWorkflow(container).run({
      input: { payment_id: medusaPayment.id, amount: Number(amount), note: `tilld ${sendId}` },
    });
    await tilld.tell(payment.id, `returned:${sendId}`, 'returned_elsewhere', part);
  }
}

/** Whether a refund of Medusa is one that was given back at tilld already: it needs no claim link. */
export async function takeReturned(
  { tilld }: Pick<Scene, 'tilld' | 'client'>,
  payment: Payment,
  refundId: string,
  amount: string,
): Promise<boolean> {
  const recording = await tilld.listRefunds({ payment_id: payment.id, status: RECORDING }, { take: null });
  const mine = recording.find((each) =>
    isForAmount({ ...payment, amount: each.amount }, amount, each.currency),
  );
  if (mine === undefined) return false;
  const { payment_id, link_id, sealed_url, currency } = mine;
  await tilld.createRefunds({
    id: refundId,
    payment_id,
    link_id,
    sealed_url,
    amount,
    currency,
    status: 'paid',
  });
  await tilld.deleteRefunds(mine.id);
  return true;
}
