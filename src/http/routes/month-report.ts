import { z } from 'zod';
import { Calendar } from '../../domain/calendar.ts';
import { COINS } from '../../domain/coins.ts';
import type { Clock } from '../../domain/ports.ts';
import type { RenderPdf } from '../../domain/print-document.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { merchantMode } from '../../usecases/access/index.ts';
import { MONTH_KINDS, monthReport } from '../../usecases/accounting/index.ts';
import { once } from '../books/month-attachments.ts';
import { monthDocument } from '../books/month-document.ts';
import { csv } from '../server/csv.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { StreamReply } from '../server/stream-reply.ts';
import { timestamp } from '../schemas/answers.ts';
import { ianaZone, modeQuery, monthQuery } from '../schemas/query.ts';
import { MONTH_COLUMNS, toMonthRows, toMonthView } from '../books/month-views.ts';

const coin = z.enum(COINS);
const amount = (description: string, example: string) => z.string().meta({ description, example });

const total = z
  .object({
    kind: z.enum(MONTH_KINDS),
    coin,
    currency: z.string().nullable().meta({ description: 'As in the export', example: 'EUR' }),
    count: z.int().meta({
      description:
        'Lines of the export less reversals; negative if more lines of earlier months were reversed',
      example: 12,
    }),
    amount: amount('In the coin: positive for incoming, negative for outgoing', '0.0251'),
    fiatAmount: z
      .string()
      .nullable()
      .meta({ description: 'Sum of the values of the lines; null without a currency', example: '2510' }),
    unpricedAmount: amount('The part in the coin without a known rate; it is not in fiatAmount', '0'),
  })
  .meta({ id: 'MonthTotal' });

const balance = z
  .object({
    coin,
    opening: amount('Balance at the beginning of the month', '1.2'),
    incoming: amount('Payments and deposits', '0.0251'),
    outgoing: amount('Refunds, sends, and what moves within the wallet took', '0.01'),
    fees: amount('Network fees', '0.00002'),
    closing: amount('opening + incoming - outgoing - fees', '1.21508'),
  })
  .meta({ id: 'MonthBalance' });

const rate = z
  .object({
    coin,
    currency: z.string().meta({ example: 'EUR' }),
    lowest: amount('Price of one coin', '98500.5'),
    highest: amount('Price of one coin', '104000'),
    sources: z.array(z.string()).meta({
      description: 'Price sources of the month’s payments; refunds, sends and fees use the same service',
      example: ['coinbase', 'kraken'],
    }),
  })
  .meta({ id: 'MonthRate' });

const receipts = z
  .object({
    first: z
      .string()
      .nullable()
      .meta({ description: 'Number of the first receipt; null without any', example: 'R-1001' }),
    last: z.string().nullable().meta({ example: 'R-1024' }),
    totals: z.array(
      z.object({
        currency: z.string().meta({ example: 'EUR' }),
        count: z.int().meta({ example: 24 }),
        fiatAmount: amount('Sum of the prices on these receipts', '2510'),
        tips: amount('Sum of the tips in these prices', '48.5'),
      }),
    ),
  })
  .meta({
    id: 'MonthReceipts',
    description: 'Receipts issued in the month, also of payments reversed or refunded since',
  });

const EXAMPLE = {
  month: '2026-01',
  mode: 'live',
  timeZone: 'Europe/Berlin',
  from: '2025-12-31T23:00:00.000Z',
  before: '2026-01-31T23:00:00.000Z',
  isFinal: true,
  totals: [
    {
      kind: 'payment',
      coin: 'BTC',
      currency: 'EUR',
      count: 12,
      amount: '0.0251',
      fiatAmount: '2510',
      unpricedAmount: '0',
    },
  ],
  balances: [
    {
      coin: 'BTC',
      opening: '1.2',
      incoming: '0.0251',
      outgoing: '0.01',
      fees: '0.00002',
      closing: '1.21508',
    },
  ],
  rates: [
    { coin: 'BTC', currency: 'EUR', lowest: '98500.5', highest: '104000', sources: ['coinbase', 'kraken'] },
  ],
  receipts: {
    first: 'R-1001',
    last: 'R-1024',
    totals: [{ currency: 'EUR', count: 24, fiatAmount: '2510', tips: '48.5' }],
  },
} as const;

const CSV_EXAMPLE = [
  MONTH_COLUMNS.map(({ name }) => name).join(','),
  'total,payment,BTC,EUR,12,0.0251,2510,0,,,,,,',
  'balance,opening,BTC,,,1.2,,,,,,,,',
  'receipt,,,EUR,24,,2510,,,,,R-1001,R-1024,48.5',
].join('\r\n');

export interface MonthReportDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly renderPdf: RenderPdf;
}

/** The month-end figures of a merchant. */
export function monthReportRoutes(deps: MonthReportDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/payment/month-report',
      summary: 'Read the figures of a month',
      description:
        'The lines of `GET /payment/export` of one month, added up, as JSON, a CSV table or a PDF: by kind, coin and currency, and for each coin the ' +
        'balance from the beginning of the month to its end. A reversal counts as the line that it reverses, in the ' +
        'month in which it happened. `payment` is money for payments, `deposit` other received money. The figures of ' +
        'a month that has ended (`isFinal`) never change.',
      tags: ['Payments'],
      auth: 'merchant',
      scope: 'payments:read',
      notFor: ['clerk'],
      status: 200,
      streamsAs: { 'text/csv': CSV_EXAMPLE, 'application/pdf': '%PDF-1.3' },
      errors: [],
      query: z.object({
        mode: modeQuery().meta({ example: 'live' }),
        month: monthQuery().optional().meta({ description: 'By default the last month that has ended' }),
        timeZone: ianaZone().optional().meta({
          description: 'IANA time zone of the month; by default that of the merchant, or UTC',
        }),
        format: z
          .enum(['json', 'csv', 'pdf'])
          .default('json')
          .meta({ description: 'Format of the response' }),
        language: z.enum(LANGUAGES).default('en').meta({ description: 'Language of the PDF' }),
      }),
      example: {
        query: { month: '2026-01', format: 'json' },
        data: EXAMPLE,
      },
      data: z.object({
        month: z.string().meta({ example: '2026-01' }),
        mode: z.enum(['live', 'sandbox']),
        timeZone: z.string().meta({ example: 'Europe/Berlin' }),
        from: timestamp().meta({ description: 'The first moment of the month' }),
        before: timestamp().meta({ description: 'The first moment after the month' }),
        isFinal: z.boolean().meta({ description: 'Whether the month has ended' }),
        totals: z.array(total),
        balances: z.array(balance).meta({ description: 'Each coin' }),
        rates: z.array(rate).meta({ description: 'The rates of the lines' }),
        receipts,
      }),
      handler: async ({ auth, query: { mode: requestedMode, month, timeZone, format, language } }) => {
        const { merchant, merchantId } = auth;
        const mode = merchantMode(merchant, requestedMode);
        const calendar = new Calendar(timeZone ?? merchant.timeZone ?? 'UTC');
        const report = await monthReport(deps, { merchantId, mode, month, calendar });
        if (format === 'json') return toMonthView(report);
        const headers = {
          'Content-Disposition': `attachment; filename="tilld-${mode}-month-${report.month}.${format}"`,
        };
        if (format === 'csv')
          return new StreamReply('text/csv', csv(MONTH_COLUMNS, once(toMonthRows(report))), headers);
        const pdf = await deps.renderPdf(monthDocument(report, merchant, language));
        return new StreamReply('application/pdf', once(pdf), headers);
      },
    }),
  ];
}
