import type { Chains } from '../../domain/chains.ts';
import { parseExact } from '../../domain/exact-json.ts';
import { isoTime } from '../../domain/iso-time.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { convertToMinor } from '../../domain/price.ts';
import { outputKey } from '../../domain/chain.ts';
import { exchangeRate, formatFiat, parseFiat } from '../../domain/fiat.ts';
import { computeBalance } from '../../domain/payment/balance.ts';
import { liveCredits, sumByCoin } from '../../domain/payment/credits.ts';
import { requiredDepths, type Depths } from '../../domain/payment/depth.ts';
import { canCostMore } from '../../domain/send/send-status.ts';
import type { PaymentCredit, Share } from '../../domain/payment/types.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { parseShare } from '../../store/payments/sum-columns.ts';
import { paymentTimeline, type TimelineRow } from '../../store/payments/payment-timeline.ts';
import type { StoredOption, StoredPayment } from '../../store/payments/payments.ts';
import type { StoredRefund } from '../../store/payments/refunds.ts';
import { parseLines } from './payment-lines.ts';
import { loadGroupLead, type LoadedPayment } from './load-payment.ts';
import type { LoadPaymentDeps } from './payment-state.ts';
import { groupPayee } from './payment-group.ts';

export interface PresentDeps extends LoadPaymentDeps {
  readonly chains: Chains;
  /** Public address of this daemon, without a trailing slash. */
  readonly baseUrl: string;
}

/** Lists in a payment are truncated to their newest entries, so that deliberate dust cannot bloat it. */
const MAX_LIST = 100;

/** The payment object of the API in full (design section 4). */
export type PaymentView = ReturnType<typeof presentLoaded>;

/** Presents a payment as the API does. */
export async function presentPayment(db: Db, deps: PresentDeps, row: StoredPayment): Promise<PaymentView> {
  return presentLoaded(deps, await loadGroupLead(db, deps, row), await presentTimeline(db, row.id));
}

/** As much of a payment's history as is shown. */
export async function presentTimeline(db: Db, paymentId: string): Promise<TimelineRow[]> {
  return paymentTimeline(db, paymentId, MAX_LIST);
}

/** Like presentPayment, from loaded data. */
export function presentLoaded(deps: PresentDeps, loaded: LoadedPayment, timeline: readonly TimelineRow[]) {
  const { row } = loaded;
  const depths = requiredDepths(loaded.state);
  return {
    id: row.id,
    status: row.status,
    exception: row.exception,
    amount: row.amount,
    currency: row.currency,
    customerId: row.customerId,
    orderId: row.orderId,
    orderLabel: row.orderLabel,
    ...groupFields(loaded),
    productId: row.productId,
    priceId: row.priceId,
    metadata: parsed(row.metadataJson),
    customFields: parsed(row.customFieldsJson),
    webhookUrl: row.webhookUrl,
    successUrl: row.successUrl,
    returnUrl: row.returnUrl,
    locale: row.locale,
    description: row.description,
    lines: parseLines(row.linesJson),
    tip: row.tip,
    ...fiatBalance(loaded),
    allowedCryptos: JSON.parse(row.allowedCryptosJson) as string[],
    sandbox: row.mode === 'sandbox',
    checkoutUrl: `${deps.baseUrl}/checkout/${row.id}`,
    createdAt: isoTime(row.createdAt),
    expiresAt: isoTime(row.expiresAt),
    updatedAt: isoTime(row.updatedAt),
    options: presentOptions(deps, loaded, depths),
    transactions: loaded.state.credits
      .slice(-MAX_LIST)
      .map((credit) => presentCredit(loaded, depths, credit)),
    receipt: presentReceipt(loaded),
    refunds: loaded.refunds.slice(-MAX_LIST).map((refund) => presentRefund(refund, row)),
    timeline: timeline
      .slice(-MAX_LIST)
      .map(({ type, sequence, at }) => ({ type, sequence, at: isoTime(at) })),
  };
}

function presentReceipt({ receipt }: LoadedPayment) {
  return receipt === null ? null : { number: receipt.number, issuedAt: isoTime(receipt.issuedAt) };
}

/** Its relation to the other payments of its group; empty for payments that were never renewed. */
function groupFields({ row, members }: LoadedPayment) {
  const renewedBy = members.find((member) => member.row.renews === row.id)?.row.id;
  return {
    ...(row.renews === null ? {} : { renews: row.renews }),
    ...(renewedBy === undefined ? {} : { renewedBy }),
    ...(row.supersededBy === null ? {} : { supersededBy: row.supersededBy }),
  };
}

/** The payer's view, without the merchant's books. */
export function payerView(payment: PaymentView) {
  const {
    metadata: _m,
    customFields: _c,
    webhookUrl: _w,
    customerId: _i,
    refunds: _r,
    timeline: _t,
    renews: _e,
    renewedBy: _b,
    keptFiat: _k,
    ...view
  } = payment;
  return view;
}

type OptionView = ReturnType<typeof presentOption>;

function presentOptions(deps: PresentDeps, loaded: LoadedPayment, depths: Depths) {
  const live = liveCredits(loaded.state);
  const byCoin: Record<string, OptionView> = {};
  for (const option of loaded.options)
    byCoin[option.coin] = presentOption(deps, loaded, { depths, live }, option);
  return byCoin;
}

function presentOption(
  deps: PresentDeps,
  loaded: LoadedPayment,
  { depths, live: all }: { readonly depths: Depths; readonly live: readonly PaymentCredit[] },
  option: StoredOption,
) {
  const { coin, address } = option;
  const due = BigInt(option.amount);
  const live = all.filter((credit) => credit.coin === coin);
  const received = sumByCoin(live)[coin] ?? 0n;
  const adapter = deps.chains.get(coin, loaded.row.mode);
  return {
    address,
    amount: formatCoinAmount(due, coin),
    rate: option.rate,
    rateSources: JSON.parse(option.rateSourcesJson) as string[],
    rateAt: isoTime(option.rateAt),
    uri: adapter === null ? null : adapter.paymentUri({ address, amount: due }),
    received: formatCoinAmount(received, coin),
    confirmations: fewestConfirmations(depths, live),
    requiredConfirmations: depths.needed(coin),
    finality: depths.finality(coin),
  };
}

/** Not by Math.min: an attacker can send more outputs than a call accepts arguments. */
function fewestConfirmations(depths: Depths, credits: readonly PaymentCredit[]): number {
  const all = credits.map((credit) => depths.shown(credit));
  return all.reduce((fewest, next) => (next < fewest ? next : fewest), all[0] ?? 0);
}

function presentCredit(loaded: LoadedPayment, depths: Depths, credit: PaymentCredit) {
  return {
    coin: credit.coin,
    txid: credit.ref.txid,
    index: credit.ref.index,
    amount: formatCoinAmount(credit.amount, credit.coin),
    status: credit.state === 'gone' ? ('reversed' as const) : credit.state,
    confirmations: depths.shown(credit),
    blockHeight: credit.height,
    late: credit.late,
    firstSeenAt: isoTime(credit.firstSeenAt),
    ...(credit.via === undefined ? {} : { paymentId: credit.via }),
    ...fiatAtReceipt(loaded, credit),
  };
}

/**
 * The value of an output at receipt, in the payment's currency, rounded down; null where no rate was known.
 */
function fiatAtReceipt(loaded: LoadedPayment, { ref, coin, amount, via }: PaymentCredit) {
  const { row, rates } = loaded;
  const received = rates.get(outputKey(ref));
  // The books record it in the currency of the payment whose address received it.
  const isOwnCurrency = groupPayee(loaded, via).currency === row.currency;
  if (received === undefined || !isOwnCurrency) return { fiatAmount: null, rate: null, rateAt: null };
  const { currency } = row;
  const minor = convertToMinor(amount, exchangeRate(received.rate, currency, coin));
  return {
    fiatAmount: formatFiat({ minor, currency }),
    rate: received.rate,
    rateAt: isoTime(received.at),
  };
}

/** The present money and its unrefunded part, at their rates at receipt; null while a rate is unknown. */
function fiatBalance({ price, state }: LoadedPayment) {
  if (liveCredits(state).some(({ due }) => due === null)) return { receivedFiat: null, keptFiat: null };
  const { received, kept } = computeBalance(state);
  const shown = ({ numerator, denominator }: Share): string =>
    formatFiat({ ...price, minor: numerator > 0n ? (price.minor * numerator) / denominator : 0n });
  return { receivedFiat: shown(received), keptFiat: shown(kept) };
}

export type RefundView = ReturnType<typeof presentRefund>;

/** A refund as the API presents it. */
export function presentRefund(refund: StoredRefund, payment: Pick<StoredPayment, 'amount' | 'currency'>) {
  const { coin } = refund;
  return {
    sendId: refund.sendId,
    coin,
    refunded: formatCoinAmount(BigInt(refund.refunded), coin),
    amount: formatCoinAmount(BigInt(refund.amount), coin),
    fee: formatCoinAmount(BigInt(refund.fee), coin),
    maxFee: formatCoinAmount(BigInt(refund.maxFee), coin),
    feeLimited: canCostMore(refund) && refund.feeLimitedAt !== null,
    fiatAmount: fiatGiven(refund, payment),
    linkId: refund.linkId,
    txHash: refund.txid,
    destination: refund.destination,
    status: refund.status,
    error: refund.error,
    createdAt: isoTime(refund.createdAt),
  };
}

function parsed(json: string | null): Record<string, unknown> | null {
  return json === null ? null : (parseExact(json) as Record<string, unknown>);
}

/**
 * As ordered; else its share of the price, to the nearest minor unit, because whole atoms are rounded down.
 */
function fiatGiven(
  { fiatAmount, value, unpriced }: StoredRefund,
  { amount, currency }: Pick<StoredPayment, 'amount' | 'currency'>,
): string | null {
  if (fiatAmount !== null) return fiatAmount;
  const share = parseShare(value);
  if (share === null || unpriced !== '0') return null;
  const { numerator, denominator } = share;
  const doubled = (parseFiat(amount, currency).minor * numerator * 2n) / denominator;
  return formatFiat({ minor: (doubled + 1n) / 2n, currency });
}
