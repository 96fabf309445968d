import { MedusaError } from '@medusajs/framework/utils';
import { TilldError, type Payment, type Schemas, type Tilld } from '@tilld/sdk';
import { isRefundDelayed } from '@tilld/sdk/shop';
import type TilldService from '../modules/tilld/service';

interface Parts {
  readonly tilld: TilldService;
  readonly client: Tilld;
}
interface Price {
  readonly amount: string;
  readonly currency: string;
}

/** Ends of a claim link: nothing follows. `recording`: it was given back at tilld, without a link. */
const ENDED = ['paid', 'expired', 'cancelled', 'nothing', 'recording'];
/** Of a refund whose next link is not made yet. */
const RENEWED = 'renewed';
const RENEWABLE = ['expired', 'cancelled', RENEWED];

/** Makes the claim link of a refund; again the same link for the same refund. */
export async function openRefund(
  { tilld, client }: Parts,
  payment: Payment,
  refundId: string,
  price: Price,
  deductFee: boolean = tilld.options.deductRefundFee,
) {
  const [known] = await tilld.listRefunds({ id: refundId }, { take: 1 });
  if (known !== undefined && !RENEWABLE.includes(known.status)) return known;
  const attempt = (known?.attempt ?? 0) + 1;
  if (isGone(payment)) {
    await tilld.tell(payment.id, `refund:${refundId}`, 'refund_nothing', { ...price });
    return save(tilld, known !== undefined, {
      id: refundId,
      payment_id: payment.id,
      link_id: '',
      sealed_url: tilld.seal(''),
      ...price,
      status: 'nothing',
      attempt,
    });
  }
  const link = await client.refundLinks.create(
    { paymentId: payment.id, ...price, deductFee },
    { idempotencyKey: `${refundId}:${attempt}` },
  );
  if (link.url === null) throw new Error('tilld made a refund link and did not show it');
  const row = await save(tilld, known !== undefined, {
    id: refundId,
    payment_id: payment.id,
    link_id: link.id,
    sealed_url: tilld.seal(link.url),
    ...price,
    status: link.status,
    deduct_fee: deductFee,
    attempt,
  });
  const code = deductFee ? 'refund_open_less_fee' : 'refund_open';
  await tilld.tell(payment.id, `refund:${link.id}:open`, code, { ...price });
  return row;
}

/** The money was taken away by the chain: there is nothing to give back. */
function isGone({ transactions }: Payment): boolean {
  return transactions.length > 0 && transactions.every(({ status }) => status === 'reversed');
}

async function save(tilld: TilldService, exists: boolean, row: Record<string, unknown> & { id: string }) {
  return exists ? tilld.updateRefunds(row) : tilld.createRefunds(row as never);
}

/** Looks at the claim links of a payment, and tells what became of them. */
export async function lookAtRefunds({ tilld, client }: Parts, paymentId: string): Promise<void> {
  const open = (await tilld.listRefunds({ payment_id: paymentId })).filter(
    ({ status }) => !ENDED.includes(status),
  );
  if (open.length === 0) return;
  const links = new Map<string, Schemas['RefundLink']>();
  for await (const link of client.refundLinks.all({ paymentId })) links.set(link.id, link);
  for (const { id, link_id, status, amount, currency } of open) {
    if (status === RENEWED) await renewRefund({ tilld, client }, id);
    const link = links.get(link_id);
    if (link === undefined) continue;
    if (isRefundDelayed(link)) {
      const key = `refund:${link_id}:delayed:${link.claimId ?? ''}`;
      await tilld.tell(paymentId, key, 'refund_delayed', { amount, currency, reason: link.problem ?? '' });
    }
    if (link.status === status) continue;
    await tilld.updateRefunds({ id, status: link.status });
    const values = { amount, currency, ...(link.txHash === null ? {} : { txHash: link.txHash }) };
    await tilld.tell(paymentId, `refund:${link_id}:${link.status}`, `refund_${link.status}`, values);
  }
}

/**
 * A new claim link for a refund whose link ended, or is claimed and cannot be sent: a wallet that holds no more than the
 * refund cannot pay the network fee on top.
 * @throws {MedusaError} for one that was paid or is being paid
 */
export async function renewRefund({ tilld, client }: Parts, refundId: string, deductFee?: boolean) {
  const refund = await tilld.retrieveRefund(refundId);
  const { payment_id: paymentId, link_id: linkId, status, amount, currency } = refund;
  if (linkId !== '' && !ENDED.includes(status)) {
    // The end of the old link is not the end of the refund.
    await tilld.updateRefunds({ id: refundId, link_id: '', status: RENEWED });
    try {
      await client.refundLinks.cancel({ linkId });
    } catch (error) {
      await tilld.updateRefunds({ id: refundId, link_id: linkId, status });
      if (!(error instanceof TilldError) || error.code !== 'INVALID_STATE') throw error;
      throw new MedusaError(MedusaError.Types.NOT_ALLOWED, error.message);
    }
  }
  if (deductFee !== undefined) await tilld.updateRefunds({ id: refundId, deduct_fee: deductFee });
  const payment = await client.payments.get({ paymentId });
  return openRefund(
    { tilld, client },
    payment,
    refundId,
    { amount, currency },
    deductFee ?? refund.deduct_fee,
  );
}

/** Payments with a claim link that may still change, also without an event: one that is cancelled sends none. */
export async function paymentsWithOpenRefunds(tilld: TilldService): Promise<string[]> {
  const rows = await tilld.listRefunds(
    { status: { $nin: ENDED } },
    { take: 100, order: { updated_at: 'ASC' } },
  );
  return [...new Set(rows.map(({ payment_id }) => payment_id))];
}
