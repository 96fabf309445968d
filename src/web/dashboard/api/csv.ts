import { api, ApiError } from './client.ts';
import type { QueryOf } from './contract.ts';
import { COINS } from '../coins.ts';
import type { Payment } from './types.ts';
import { t } from '../i18n/t.ts';

const PAGE = 100;
/** A file with more lines belongs to a report by the API, not to a browser. */
const MOST = 50_000;
const HEAD = ['id', 'orderId', 'customerId', 'status', 'exception', 'amount', 'currency', 'createdAt'];
/** Tells spreadsheets that the text is UTF-8. */
const MARK = '\uFEFF';

/** Quotes what needs it, and disarms texts a spreadsheet would run as a formula. */
function cell(value: string): string {
  const safe = /^\s*[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function line(payment: Payment): string {
  const { id, orderId, customerId, status, exception, amount, currency, createdAt } = payment;
  const received = COINS.map((coin) => payment.options[coin]?.received ?? '');
  const txids = payment.transactions.map(({ txid }) => txid).join(' ');
  const fields = [id, orderId, customerId ?? '', status, exception ?? '', amount, currency, createdAt];
  return [...fields, ...received, txids].map(cell).join(',');
}

type Query = QueryOf<'GET', '/payment/list'>;

/**
 * Every payment that a filter lets through, all pages of them, as CSV (RFC 4180).
 * @param onProgress told how many of how many are there
 * @throws {ApiError} when they are too many for one file
 */
export async function paymentsCsv(
  query: Query,
  onProgress: (done: number, total: number) => void,
): Promise<string> {
  // By id: payments made meanwhile push others onto the next page, where they come once more.
  const lines = new Map<string, string>();
  for (let page = 1; ; page += 1) {
    const { payments, pagination } = await api('GET', '/payment/list', {
      query: { ...query, page, limit: PAGE },
    });
    const { total } = pagination;
    if (total > MOST) {
      const message = t('{total} payments match: a file holds at most {most}. Please choose fewer days.', {
        total,
        most: MOST,
      });
      throw new ApiError(0, 'TOO_MANY', message);
    }
    for (const payment of payments) lines.set(payment.id, line(payment));
    onProgress(lines.size, total);
    if (page * PAGE >= total) break;
  }
  const head = [...HEAD, ...COINS.map((coin) => `received${coin}`), 'txids'].join(',');
  return `${MARK}${[head, ...lines.values()].join('\r\n')}\r\n`;
}
