import type { Payment, Schemas } from './contract.ts';
import { formatMinor, parseMinor } from './currency.ts';

type Refund = Schemas['Refund'];

/** Statuses of sends that the network has. */
const LEFT: readonly string[] = ['broadcast', 'confirmed'];

export interface UnrecordedRefund {
  readonly sendId: string;
  /** In the payment's currency. */
  readonly amount: string;
}

/**
 * What was given back of an order's price in tilld, other than by the shop's links, and is not in the shop's books yet.
 * What was paid beyond the price is no money of the order.
 *
 * @param price what the order costs, in the payment's currency
 * @param recorded ids of the links and sends that the shop has in its books
 */
export function unrecordedRefunds(
  {
    receivedFiat,
    keptFiat,
    currency,
    refunds,
  }: Pick<Payment, 'receivedFiat' | 'keptFiat' | 'currency' | 'refunds'>,
  price: string,
  recorded: ReadonlySet<string>,
): UnrecordedRefund[] {
  if (receivedFiat === null || keptFiat === null) return [];
  const minor = (amount: string): bigint => parseMinor(amount, currency);
  const live = refunds.filter(({ status }) => status !== 'failed');
  const isRecorded = ({ sendId, linkId }: Refund): boolean =>
    recorded.has(linkId ?? sendId) || recorded.has(sendId);
  const received = minor(receivedFiat) < minor(price) ? minor(receivedFiat) : minor(price);
  let left = received - minor(keptFiat);
  for (const refund of live.filter(isRecorded)) left -= minor(refund.fiatAmount ?? '0');
  const found: UnrecordedRefund[] = [];
  for (const refund of live.filter((each) => !isRecorded(each) && LEFT.includes(each.status))) {
    const value = minor(refund.fiatAmount ?? '0');
    const amount = value < left ? value : left;
    if (amount <= 0n) continue;
    left -= amount;
    found.push({ sendId: refund.sendId, amount: formatMinor(amount, currency) });
  }
  return found;
}

/** Whether a claimed refund cannot be sent at present. */
export function isRefundDelayed({
  status,
  problem,
}: Pick<Schemas['RefundLink'], 'status' | 'problem'>): boolean {
  return problem !== null && (status === 'claimed' || status === 'approved');
}
