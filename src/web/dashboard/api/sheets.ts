import { api } from './client.ts';
import type { QueryOf } from '../contract/contract.ts';
import { customerName, loadCustomers } from './customers-by-id.ts';
import { exportCsv, type Progress } from './csv.ts';
import { COINS } from '../format/coins.ts';
import { t } from '../i18n/t.ts';
import type { Coin, Payment, WalletTransaction, Customer } from '../contract/types.ts';

const WALLET_COLUMNS = [
  'id',
  'createdAt',
  'direction',
  'status',
  'coin',
  'amount',
  'fee',
  'currency',
  'rate',
  'fiatAmount',
  'txHash',
  'address',
  'paymentId',
  'error',
] as const satisfies readonly (keyof WalletTransaction)[];

function received(coin: Coin) {
  return ({ options }: Payment): string | null => options[coin]?.received ?? null;
}

interface PaymentEntry extends Payment {
  readonly customer: Customer | null;
}

/**
 * The payments that match a filter.
 * @param hasEmails whether email addresses of customers are included: not if the user may not read customers
 * @throws {ApiError} if there are too many for one file
 */
export async function paymentsCsv(
  query: QueryOf<'GET', '/payment/list'>,
  hasEmails: boolean,
  onProgress: Progress,
): Promise<string> {
  return exportCsv<PaymentEntry>(
    {
      read: async (page) => {
        const { payments, pagination } = await api('GET', '/payment/list', { query: { ...query, ...page } });
        const customers = hasEmails ? await loadCustomers(query.merchantId, payments) : null;
        const named = (payment: Payment) => ({
          ...payment,
          customer: customers?.get(payment.customerId ?? '') ?? null,
        });
        return { entries: payments.map(named), pagination };
      },
      columns: {
        id: ({ id }) => id,
        orderId: ({ orderId }) => orderId,
        customerId: ({ customerId }) => customerId,
        customerEmail: ({ customer }) => customer?.email ?? null,
        customerName: ({ customer }) => (customer === null ? null : customerName(customer)),
        status: ({ status }) => status,
        exception: ({ exception }) => exception,
        amount: ({ amount }) => amount,
        currency: ({ currency }) => currency,
        createdAt: ({ createdAt }) => createdAt,
        ...Object.fromEntries(COINS.map((coin) => [`received${coin}`, received(coin)])),
        txids: ({ transactions }) => transactions.map(({ txid }) => txid).join(' '),
        orderLabel: ({ orderLabel }) => orderLabel,
      },
      tooMany: (numbers) =>
        t('{total} payments match: a file holds at most {most}. Please choose fewer days.', numbers),
    },
    onProgress,
  );
}

/** The wallet transactions that match a filter. @throws {ApiError} if there are too many for one file */
export async function walletCsv(
  query: QueryOf<'GET', '/merchant/wallet/transactions'>,
  onProgress: Progress,
): Promise<string> {
  return exportCsv<WalletTransaction>(
    {
      read: async (page) => {
        const { transactions, pagination } = await api('GET', '/merchant/wallet/transactions', {
          query: { ...query, ...page },
        });
        return { entries: transactions, pagination };
      },
      columns: Object.fromEntries(WALLET_COLUMNS.map((name) => [name, (entry) => entry[name]])),
      tooMany: (numbers) =>
        t('{total} entries match: a file holds at most {most}. Please choose fewer days.', numbers),
    },
    onProgress,
  );
}
