import de from '../../../locales/month-report/de.json' with { type: 'json' };
import en from '../../../locales/month-report/en.json' with { type: 'json' };
import es from '../../../locales/month-report/es.json' with { type: 'json' };
import fr from '../../../locales/month-report/fr.json' with { type: 'json' };
import it from '../../../locales/month-report/it.json' with { type: 'json' };
import nl from '../../../locales/month-report/nl.json' with { type: 'json' };
import pl from '../../../locales/month-report/pl.json' with { type: 'json' };
import pt from '../../../locales/month-report/pt.json' with { type: 'json' };
import { COIN_DEFINITIONS } from '../../domain/coins.ts';
import { formatFiat } from '../../domain/fiat.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { PrintBlock, PrintColumn, PrintDocument } from '../../domain/print-document.ts';
import { interpolate } from '../../i18n/interpolate.ts';
import { formatLocale, printLanguage, type Language } from '../../i18n/languages.ts';
import type { MonthReport, MonthTotal } from '../../usecases/accounting/index.ts';
import { formatCoins, count, fiat } from '../checkout/format.ts';

type Texts = typeof en;
const TEXTS: Readonly<Record<Exclude<Language, 'ar'>, Texts>> = { en, de, es, fr, it, nl, pl, pt };

interface Scene {
  readonly report: MonthReport;
  readonly texts: Texts;
  readonly language: Language;
}

/** The report of a month as a document to print. */
export function monthDocument(
  report: MonthReport,
  shop: { readonly name: string; readonly domain: string },
  readersLanguage: Language,
): PrintDocument {
  const language = printLanguage(readersLanguage);
  const texts = TEXTS[language];
  const scene = { report, texts, language };
  const month = monthName(report.month, language);
  const turnover = report.totals.filter(({ kind }) => kind === 'payment');
  const others = report.totals.filter(({ kind }) => kind !== 'payment');
  return {
    title: `${texts.title} ${month}, ${shop.name}`,
    language,
    createdAtMs: report.beforeMs,
    footer: interpolate(texts.footer, { shop: shop.name, month }),
    blocks: [
      { kind: 'title', text: texts.title },
      { kind: 'text', text: interpolate(texts.shop, { shop: shop.name, domain: shop.domain }) },
      { kind: 'text', text: interpolate(texts.period, { month, timeZone: report.timeZone }) },
      ...(report.mode === 'sandbox' ? [{ kind: 'note', text: texts.sandbox } as const] : []),
      ...(report.isFinal ? [] : [{ kind: 'note', text: texts.soFar } as const]),
      { kind: 'heading', text: texts.turnover },
      ...totalsTable(scene, turnover, 'coin'),
      { kind: 'note', text: texts.turnoverNote },
      { kind: 'heading', text: texts.otherMoney },
      ...totalsTable(scene, others, 'kind'),
      { kind: 'heading', text: texts.balances },
      balanceTable(scene),
      { kind: 'note', text: texts.balancesNote },
      { kind: 'heading', text: texts.rates },
      ...ratesTable(scene),
      { kind: 'note', text: texts.ratesNote },
      { kind: 'heading', text: texts.receipts },
      ...receiptsTable(scene),
      { kind: 'note', text: texts.receiptsNote },
    ],
  };
}

function monthName(month: string, language: Language): string {
  const format = new Intl.DateTimeFormat(formatLocale(language), {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return format.format(Date.parse(`${month}-01`));
}

const left = (title: string, share: number): PrintColumn => ({ title, share, align: 'left' });
const right = (title: string, share: number): PrintColumn => ({ title, share, align: 'right' });

function totalsTable(
  { texts, language }: Scene,
  totals: readonly MonthTotal[],
  first: 'coin' | 'kind',
): PrintBlock[] {
  if (totals.length === 0) return [{ kind: 'text', text: texts.nothing }];
  const unpriced = totals.filter((total) => total.unpriced !== 0n);
  const rows = totals.map((total) => {
    const { kind, coin, currency, amount, minor } = total;
    return [
      ...(first === 'kind' ? [texts[kind]] : []),
      coin,
      count(total.count, language),
      formatCoins(formatCoinAmount(amount, coin), language),
      currency === null ? '' : fiat(formatFiat({ minor, currency }), currency, language),
    ];
  });
  const columns = [
    ...(first === 'kind' ? [left(texts.kind, 3)] : []),
    left(texts.coin, 1.3),
    right(texts.count, 1.2),
    right(texts.amount, 3.4),
    right(texts.value, 2.6),
  ];
  const amounts = unpriced.map(
    ({ coin, unpriced: atoms }) => `${formatCoins(formatCoinAmount(atoms, coin), language)} ${coin}`,
  );
  return [
    { kind: 'table', columns, rows },
    ...(amounts.length === 0
      ? []
      : [{ kind: 'note', text: interpolate(texts.unpriced, { amounts: amounts.join('; ') }) } as const]),
  ];
}

const PARTS = ['opening', 'incoming', 'outgoing', 'fees', 'closing'] as const;

/** A column for each coin, because an amount of 18 decimals needs its width once instead of five times. */
function balanceTable({ report: { balances }, texts, language }: Scene): PrintBlock {
  return {
    kind: 'table',
    columns: [
      left('', 2.4),
      ...balances.map(({ coin }) => right(coin, 1.8 + 0.16 * COIN_DEFINITIONS[coin].decimals)),
    ],
    rows: PARTS.map((part) => [
      texts[part],
      ...balances.map((balance) => formatCoins(formatCoinAmount(balance[part], balance.coin), language)),
    ]),
  };
}

function ratesTable({ report, texts, language }: Scene): PrintBlock[] {
  if (report.rates.length === 0) return [{ kind: 'text', text: texts.nothing }];
  const columns = [
    left(texts.coin, 1.2),
    left(texts.currency, 1.4),
    right(texts.lowest, 2.4),
    right(texts.highest, 2.4),
    left(texts.sources, 3.5),
  ];
  const rows = report.rates.map(({ coin, currency, lowest, highest, sources }) => [
    coin,
    currency,
    formatCoins(lowest, language),
    formatCoins(highest, language),
    sources.join(', '),
  ]);
  return [{ kind: 'table', columns, rows }];
}

function receiptsTable({ report: { receipts }, texts, language }: Scene): PrintBlock[] {
  const { bounds, sums } = receipts;
  if (bounds === null) return [{ kind: 'text', text: texts.nothing }];
  const columns = [
    left(texts.currency, 3),
    right(texts.count, 2),
    right(texts.value, 3),
    right(texts.tips, 3),
  ];
  const rows = sums.map((sum) => [
    sum.currency,
    count(sum.count, language),
    fiat(formatFiat(sum), sum.currency, language),
    fiat(formatFiat({ ...sum, minor: sum.tipMinor }), sum.currency, language),
  ]);
  return [
    { kind: 'text', text: interpolate(texts.receiptsRange, bounds) },
    { kind: 'table', columns, rows },
  ];
}
