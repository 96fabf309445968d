import type { CheckoutView } from '../../usecases/checkout/index.ts';
import { countryName, dayIn, fiat, momentIn } from './format.ts';
import type { PageModel } from './page-model.ts';

type Transaction = CheckoutView['payment']['transactions'][number];
export type Fact = readonly [name: string, value: string];

/** The facts of a receipt, the same on the page, in the mail and in the PDF. @param order as this reader may see it */
export function receiptFacts({ view, say, language }: PageModel, order: string): Fact[] {
  const { payment, shop, completedAt } = view;
  const { receipt } = payment;
  const issued: Fact[] =
    receipt === null
      ? []
      : [
          [say('receiptNumber'), receipt.number],
          [say('receiptIssued'), dayIn(receipt.issuedAt, shop.timeZone, language)],
        ];
  const paid: Fact[] =
    completedAt === null ? [] : [[say('paidOn'), momentIn(completedAt, shop.timeZone, language)]];
  return [
    ...issued,
    [say('orderLabel'), order],
    [say('total'), fiat(payment.amount, payment.currency, language)],
    ...tipFact(view.payment, { say, language }),
    ...paid,
  ];
}

function tipFact(
  { tip, currency }: PageModel['view']['payment'],
  { say, language }: Pick<PageModel, 'say' | 'language'>,
): Fact[] {
  return tip === null ? [] : [[say('tip'), fiat(tip, currency, language)]];
}

/** The seller as issued, line by line; empty where the shop had not entered one. */
export function sellerLines({ view: { seller }, say, language }: PageModel): string[] {
  if (seller === null) return [];
  return [
    seller.legalName,
    ...seller.addressLines,
    countryName(seller.country, language),
    ...(seller.taxNumber === null ? [] : [say('taxNumber', { number: seller.taxNumber })]),
    ...(seller.email === null ? [] : [seller.email]),
  ];
}

/** Whether money went back; null: none did. */
export function refundMark({ view, say }: PageModel): string | null {
  if (view.payment.status === 'refunded') return say('isRefunded');
  return view.moneyBack.length === 0 ? null : say('isPartlyRefunded');
}

/** The money that counts: what the network dropped is left out. */
export function receivedMoney({ view }: PageModel): readonly Transaction[] {
  return view.payment.transactions.filter(({ status }) => status !== 'reversed');
}

/** The rate at which money was counted: that of the payment, or for late money the rate at receipt. */
export function appliedRate(
  { view, say, language }: PageModel,
  { coin, late, rate }: Transaction,
): string | null {
  const counted = late ? rate : (view.payment.options[coin]?.rate ?? null);
  return counted === null
    ? null
    : say('rate', { coin, rate: fiat(counted, view.payment.currency, language) });
}

/** The price sources of that rate; null where they are not recorded, as for late money. */
export function rateSources({ view, say }: PageModel, { coin, late }: Transaction): string | null {
  const sources = late ? [] : (view.payment.options[coin]?.rateSources ?? []);
  return sources.length === 0 ? null : say('rateSources', { sources: sources.join(', ') });
}
