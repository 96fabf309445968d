import type { MedusaContainer } from '@medusajs/framework/types';
import { refundPaymentWorkflow } from '@medusajs/medusa/core-flows';
import { formatMinor, parseMinor, type Payment, type Schemas, type Tilld } from '@tilld/sdk';
import { asksFor, fiat } from '../money';
import type TilldService from '../modules/tilld/service';
import type { PaymentRow } from './adopt';
import type { Session } from './find';

type TilldRefund = Schemas['Refund'];
type RefundRow = Awaited<ReturnType<TilldService['listRefunds']>>[number];

/** Statuses of sends that the network has. */
const LEFT: readonly string[] = ['broadcast', 'confirmed'];
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
  const isLower = !asksFor(payment, session.amount, session.currency);
  const price = isLower ? fiat(session.amount, session.currency) : payment.amount;
  const known = await tilld.listRefunds({ payment_id: payment.id }, { take: null });
  for (const { sendId, amount } of returnedElsewhere({ ...payment, amount: price }, known)) {
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
  const mine = recording.find((each) => asksFor({ ...payment, amount: each.amount }, amount, each.currency));
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

/**
 * What was given back of the price other than by the shop's links and is not recorded yet. What was paid beyond the price
 * is no money of the order.
 */
function returnedElsewhere(
  { receivedFiat, keptFiat, amount: price, currency, refunds }: Payment,
  known: readonly RefundRow[],
): { readonly sendId: string; readonly amount: string }[] {
  if (receivedFiat === null || keptFiat === null) return [];
  const ids = new Set(known.filter(({ status }) => status !== RECORDING).map(({ link_id }) => link_id));
  const minor = (amount: string): bigint => parseMinor(amount, currency);
  const live = refunds.filter(({ status }) => status !== 'failed');
  const isKnown = ({ sendId, linkId }: TilldRefund): boolean => ids.has(linkId ?? sendId) || ids.has(sendId);
  const received = minor(receivedFiat) < minor(price) ? minor(receivedFiat) : minor(price);
  let left = received - minor(keptFiat);
  for (const refund of live.filter(isKnown)) left -= minor(refund.fiatAmount ?? '0');
  const found: { sendId: string; amount: string }[] = [];
  for (const refund of live.filter((each) => !isKnown(each) && LEFT.includes(each.status))) {
    const value = minor(refund.fiatAmount ?? '0');
    const amount = value < left ? value : left;
    if (amount <= 0n) continue;
    left -= amount;
    found.push({ sendId: refund.sendId, amount: formatMinor(amount, currency) });
  }
  return found;
}
