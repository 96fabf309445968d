import { formatFiat } from '../../domain/fiat.ts';
import { isoTime } from '../../domain/iso-time.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { CoinBalance, MonthReport, MonthTotal } from '../../usecases/accounting/index.ts';
import type { CsvColumn } from '../server/csv.ts';

/** The report as the API returns it. */
export function toMonthView(report: MonthReport) {
  const { month, mode, timeZone, fromMs, beforeMs, isFinal, totals, balances, rates, receipts } = report;
  return {
    month,
    mode,
    timeZone,
    from: isoTime(fromMs),
    before: isoTime(beforeMs),
    isFinal,
    totals: totals.map(toTotal),
    balances: balances.map(toBalance),
    rates,
    receipts: {
      first: receipts.bounds?.first ?? null,
      last: receipts.bounds?.last ?? null,
      totals: receipts.sums.map(toReceiptTotal),
    },
  };
}

function toReceiptTotal({ currency, count, minor, tipMinor }: MonthReport['receipts']['sums'][number]) {
  const tips = formatFiat({ minor: tipMinor, currency });
  return { currency, count, fiatAmount: formatFiat({ minor, currency }), tips };
}

function toTotal({ kind, coin, currency, count, amount, minor, unpriced }: MonthTotal) {
  return {
    kind,
    coin,
    currency,
    count,
    amount: formatCoinAmount(amount, coin),
    fiatAmount: currency === null ? null : formatFiat({ minor, currency }),
    unpricedAmount: formatCoinAmount(unpriced, coin),
  };
}

const PARTS = ['opening', 'incoming', 'outgoing', 'fees', 'closing'] as const;

function toBalance(balance: CoinBalance) {
  const { coin } = balance;
  const part = (name: (typeof PARTS)[number]) => formatCoinAmount(balance[name], coin);
  return {
    coin,
    opening: part('opening'),
    incoming: part('incoming'),
    outgoing: part('outgoing'),
    fees: part('fees'),
    closing: part('closing'),
  };
}

export interface MonthRow {
  readonly section: 'total' | 'balance' | 'rate' | 'receipt';
  readonly kind: string | null;
  readonly coin: string | null;
  readonly currency: string | null;
  readonly count: string | null;
  readonly amount: string | null;
  readonly fiatAmount: string | null;
  readonly unpricedAmount: string | null;
  readonly lowestRate: string | null;
  readonly highestRate: string | null;
  readonly rateSources: string | null;
  readonly firstReceipt: string | null;
  readonly lastReceipt: string | null;
  readonly tips: string | null;
}

/** One table for all sections, because a spreadsheet filters rows more easily than it joins files. */
export const MONTH_COLUMNS: readonly CsvColumn<MonthRow>[] = [
  { name: 'section' },
  { name: 'kind' },
  { name: 'coin' },
  { name: 'currency' },
  { name: 'count', isNumber: true },
  { name: 'amount', isNumber: true },
  { name: 'fiatAmount', isNumber: true },
  { name: 'unpricedAmount', isNumber: true },
  { name: 'lowestRate', isNumber: true },
  { name: 'highestRate', isNumber: true },
  { name: 'rateSources' },
  { name: 'firstReceipt' },
  { name: 'lastReceipt' },
  // New columns are added last, because readers may count them.
  { name: 'tips', isNumber: true },
];

const EMPTY: Omit<MonthRow, 'section' | 'coin'> = {
  kind: null,
  currency: null,
  count: null,
  amount: null,
  fiatAmount: null,
  unpricedAmount: null,
  lowestRate: null,
  highestRate: null,
  rateSources: null,
  firstReceipt: null,
  lastReceipt: null,
  tips: null,
};

/** The report as rows of a CSV file. */
export function toMonthRows(report: MonthReport): MonthRow[] {
  const totals = report.totals.map((total): MonthRow => {
    const view = toTotal(total);
    return { ...EMPTY, section: 'total', ...view, count: String(view.count) };
  });
  const balances = report.balances
    .map(toBalance)
    .flatMap(({ coin, ...balance }) =>
      PARTS.map((kind): MonthRow => ({ ...EMPTY, section: 'balance', kind, coin, amount: balance[kind] })),
    );
  const rates = report.rates.map(({ coin, currency, lowest, highest, sources }): MonthRow => ({
    ...EMPTY,
    section: 'rate',
    coin,
    currency,
    lowestRate: lowest,
    highestRate: highest,
    rateSources: sources.join(' '),
  }));
  const { bounds, sums } = report.receipts;
  const receipts = sums.map((sum): MonthRow => {
    const view = toReceiptTotal(sum);
    return {
      ...EMPTY,
      section: 'receipt',
      coin: null,
      ...view,
      count: String(view.count),
      firstReceipt: bounds?.first ?? null,
      lastReceipt: bounds?.last ?? null,
    };
  });
  return [...totals, ...balances, ...rates, ...receipts];
}
