import { z } from 'zod';
import { Calendar } from '../../domain/calendar.ts';
import { COINS } from '../../domain/coins.ts';
import { invalidField } from '../../domain/errors.ts';
import { MOVEMENT_KINDS } from '../../domain/movements.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { exportMovements, type MovementView } from '../../usecases/accounting/index.ts';
import { merchantMode } from '../../usecases/access/index.ts';
import { csv, type CsvColumn } from '../server/csv.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { listInEnvelope, StreamReply } from '../server/stream-reply.ts';
import { ianaZone, modeQuery, momentQuery, type Moment } from '../schemas/query.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const movement = z
  .object({
    at: z.string().meta({
      format: 'date-time',
      description: 'When it was recorded, with the offset of the time zone',
      examples: ['2026-01-31T13:00:00.000+01:00'],
    }),
    kind: z.enum(MOVEMENT_KINDS),
    paymentId: z.string().nullable().meta({ example: EXAMPLES.paymentId }),
    orderId: z.string().nullable().meta({ example: 'order-1001' }),
    sendId: z.string().nullable().meta({ example: EXAMPLES.sendId }),
    coin: z.enum(COINS),
    amount: z.string().meta({
      description: 'In the coin: positive for incoming, negative for outgoing',
      example: '0.000499',
    }),
    currency: z.string().nullable().meta({
      description: 'That of the payment; without a payment, that of the newest payment at the time, or USD',
      example: 'USD',
    }),
    rate: z.string().nullable().meta({
      description: 'Price of one coin at the time; null if none was known',
      example: '100000',
    }),
    fiatAmount: z
      .string()
      .nullable()
      .meta({ description: 'Amount at that rate, with its sign', example: '49.90' }),
    txHash: z.string().meta({ example: EXAMPLES.txid }),
    address: z
      .string()
      .nullable()
      .meta({ description: 'The address that was paid; null for fees', example: EXAMPLES.address }),
    note: z.string().nullable().meta({ example: 'Payout of January' }),
    orderLabel: z.string().nullable().meta({ example: '1001' }),
    paymentNote: z.string().nullable().meta({
      description: 'The note of the shop’s own on the payment, as it is now',
      example: 'Collects it on Friday',
    }),
    receiptNumber: z.string().nullable().meta({
      description: 'Number of the receipt of the payment; null until it is completed',
      example: 'R-1024',
    }),
    tip: z.string().nullable().meta({
      description: 'Tip in the price of the payment, in its currency; null: none',
      example: '4.90',
    }),
  })
  .meta({ id: 'Movement' });

const COLUMNS: readonly CsvColumn<MovementView>[] = [
  { name: 'at' },
  { name: 'kind' },
  { name: 'paymentId' },
  { name: 'orderId' },
  { name: 'sendId' },
  { name: 'coin' },
  { name: 'amount', isNumber: true },
  { name: 'currency' },
  { name: 'rate', isNumber: true },
  { name: 'fiatAmount', isNumber: true },
  { name: 'txHash' },
  { name: 'address' },
  { name: 'note' },
  // New columns are added last, because readers may count them.
  { name: 'orderLabel' },
  { name: 'paymentNote' },
  { name: 'receiptNumber' },
  { name: 'tip', isNumber: true },
];

const EXAMPLE: MovementView = {
  at: '2026-01-31T13:00:00.000+01:00',
  kind: 'payment',
  paymentId: 'pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE',
  orderId: 'order-1001',
  sendId: null,
  coin: 'BTC',
  amount: '0.000499',
  currency: 'EUR',
  rate: '100000',
  fiatAmount: '49.9',
  txHash: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
  address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  note: null,
  orderLabel: '1001',
  paymentNote: null,
  receiptNumber: 'R-1024',
  tip: null,
};

const CSV_EXAMPLE = [
  COLUMNS.map(({ name }) => name).join(','),
  COLUMNS.map(({ name }) => EXAMPLE[name] ?? '').join(','),
].join('\r\n');

const query = z.object({
  mode: modeQuery().meta({ example: 'sandbox' }),
  from: momentQuery()
    .optional()
    .meta({
      description:
        'Start of the range (inclusive): a day of the time zone, or a time with its offset. By default the first ' +
        'movement',
      examples: ['2026-01-01'],
      example: '2026-01-01T00:00:00.000Z',
    }),
  to: momentQuery()
    .optional()
    .meta({
      description: 'End of the range (exclusive), in the same forms. Now by default',
      examples: ['2026-02-01'],
      example: '2026-02-01T00:00:00.000Z',
    }),
  timeZone: ianaZone().default('UTC').meta({
    description: 'IANA time zone of days without a time, and of the times in the response',
  }),
  format: z.enum(['json', 'csv']).default('json').meta({ description: 'Format of the response' }),
});

/** The accounting export of a merchant. */
export function exportRoutes(deps: { readonly db: Db; readonly clock: Clock }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/payment/export',
      summary: 'Export all movements of money',
      description:
        'One line for each movement of confirmed money in one mode of the merchant, oldest first: payments, refunds, ' +
        'sends, sweeps within the wallet (their amount is 0), network fees, and reversals of any of these by a ' +
        'reorganisation. The amounts of all lines add up to the balance of the wallet. Lines are never changed or ' +
        'inserted later: a past range always returns the same lines, except for the label of an order, the note on a payment, its tip and the number of its receipt. The response is streamed; an aborted one is ' +
        'incomplete. As CSV it is RFC 4180 in UTF-8 with a byte order mark, and texts that a spreadsheet could read ' +
        'as a formula begin with an apostrophe.',
      tags: ['Payments'],
      auth: 'merchant',
      scope: 'payments:read',
      notFor: ['clerk'],
      status: 200,
      streamsAs: { 'text/csv': CSV_EXAMPLE },
      errors: [],
      query,
      example: {
        query: { from: '2026-01-01', to: '2026-02-01', timeZone: 'Europe/Berlin', format: 'json' },
        data: { lines: [EXAMPLE] },
      },
      data: z.object({ lines: z.array(movement) }),
      handler: async ({ auth, query: { mode: requestedMode, from, to, timeZone, format } }) => {
        const calendar = new Calendar(timeZone);
        const [fromMs, beforeMs] = [from, to].map((moment) => toMs(moment, calendar));
        if (fromMs !== undefined && beforeMs !== undefined && beforeMs <= fromMs) {
          throw invalidField('to', 'must be after from');
        }
        const mode = merchantMode(auth.merchant, requestedMode);
        const pages = exportMovements(deps, {
          merchantId: auth.merchantId,
          mode,
          fromMs,
          beforeMs,
          calendar,
        });
        if (format === 'json') return new StreamReply('application/json', listInEnvelope('lines', pages));
        const name = ['tilld', mode, 'movements', ...[from, to].map((moment) => fileName(moment, calendar))];
        const file = `${name.filter((part) => part !== '').join('-')}.csv`;
        return new StreamReply('text/csv', csv(COLUMNS, pages), {
          'Content-Disposition': `attachment; filename="${file}"`,
        });
      },
    }),
  ];
}

function toMs(moment: Moment | undefined, calendar: Calendar): number | undefined {
  if (moment === undefined) return undefined;
  return 'day' in moment ? calendar.startOf(moment.day) : moment.atMs;
}

function fileName(moment: Moment | undefined, calendar: Calendar): string {
  if (moment === undefined) return '';
  return 'day' in moment ? moment.day : calendar.dayAt(moment.atMs);
}
