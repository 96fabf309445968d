import { api } from './client.ts';
import { COINS, type Pagination, type Payment } from './types.ts';

const PAGE = 100;
/** A file larger than this belongs to a report by the API, not to a browser. */
const MOST_PAGES = 200;
const HEAD = ['id', 'orderId', 'customerId', 'status', 'exception', 'amount', 'currency', 'createdAt'];

/** Quotes what needs it, and disarms texts a spreadsheet would run as a formula. */
function cell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function line(payment: Payment): string {
  const { id, orderId, customerId, status, exception, amount, currency, createdAt } = payment;
  const received = COINS.map((coin) => payment.options[coin]?.received ?? '');
  const txids = payment.transactions.map(({ txid }) => txid).join(' ');
  const fields = [id, orderId, customerId, status, exception ?? '', amount, currency, createdAt];
  return [...fields, ...received, txids].map(cell).join(',');
}

/**
 * Every payment that a filter lets through, as CSV (RFC 4180).
 * @param onProgress told how many of how many are there
 */
export async function paymentsCsv(
  query: Readonly<Record<string, string | undefined>>,
  onProgress: (done: number, total: number) => void,
): Promise<string> {
  const lines = [[...HEAD, ...COINS.map((coin) => `received${coin}`), 'txids'].join(',')];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { payments, pagination } = await api<{ payments: Payment[]; pagination: Pagination }>(
      'GET',
      '/payment/list',
      { query: { ...query, page, limit: PAGE } },
    );
    lines.push(...payments.map(line));
    onProgress(lines.length - 1, pagination.total);
    if (page * PAGE >= pagination.total) break;
  }
  return `${lines.join('\r\n')}\r\n`;
}

/** Hands a text to the browser as a download. */
export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
