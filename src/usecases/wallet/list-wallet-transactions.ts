import { COINS, type Coin, type Mode } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { chooseReadDb } from '../../store/choose-read-db.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import {
  bookedPrices,
  type MovementPrice,
  type WalletTransactionRow,
} from '../../store/ledger/wallet-transaction-rows.ts';
import {
  pageWalletTransactions,
  type WalletTransactionFilter,
} from '../../store/ledger/wallet-transactions.ts';
import { fiatAmount } from '../accounting/index.ts';
import { merchantMode } from '../access/index.ts';
import type { WalletOwner } from './send/send-order.ts';
import { type SendOutputView, viewOutputs } from './send/send-view.ts';

export interface WalletTransaction {
  /** The send's id, or `txHash:index` of an output to us. */
  readonly id: string;
  readonly direction: 'in' | 'out';
  readonly coin: Coin;
  /** Null for a send that is not signed yet. */
  readonly txHash: string | null;
  /** Our receiving address, or the destination: the first one where there are several. */
  readonly address: string;
  /** Several recipients of a send and what each receives; null where there is one. */
  readonly outputs: SendOutputView[] | null;
  readonly amount: string;
  /** Network fee of a send; null for incoming money. */
  readonly fee: string | null;
  /** Fee budget of a send; null for incoming money. */
  readonly maxFee: string | null;
  /** A fee bump waits because it would exceed the budget. */
  readonly feeLimited: boolean;
  /** `unconfirmed`, `confirmed` or `gone` incoming; the send's status outgoing. */
  readonly status: string;
  /** The transactions that gather the outputs of a send; null where one transaction is enough. */
  readonly parts: { readonly total: number; readonly confirmed: number } | null;
  readonly confirmations: number;
  readonly paymentId: string | null;
  readonly error: string | null;
  /** The currency of the payment, or of the books. */
  readonly currency: string | null;
  /** Price of one coin at that time; null where none was known. */
  readonly rate: string | null;
  /** The value of `amount` at that rate. */
  readonly fiatAmount: string | null;
  readonly createdAt: string;
}

export interface ListWalletTransactionsInput extends Pick<
  WalletTransactionFilter,
  'fromMs' | 'toMs' | 'search' | 'page' | 'limit'
> {
  readonly merchant: WalletOwner;
  /** Defaults to its current mode. */
  readonly mode?: Mode | undefined;
  readonly coin?: Coin | undefined;
  readonly direction?: 'in' | 'out' | undefined;
}

/** Money in and out of the merchant's wallet in a mode, newest first. */
export async function listWalletTransactions(
  deps: { readonly db: Db },
  input: ListWalletTransactionsInput,
): Promise<{ transactions: WalletTransaction[]; total: number }> {
  const { merchant, mode: requestedMode, coin = null, direction = null, ...filter } = input;
  const mode = merchantMode(merchant, requestedMode);
  const shop = { merchantId: merchant.id, mode };
  const db = chooseReadDb(deps.db, filter);
  const { rows, total } = await pageWalletTransactions(db, { ...filter, ...shop, coin, direction });
  const tips = new Map<Coin, number>();
  for (const each of COINS) tips.set(each, (await findCursor(deps.db, { coin: each, mode }))?.height ?? 0);
  const prices = await bookedPrices(deps.db, {
    ...shop,
    txids: rows.flatMap(({ txid }) => (txid === null ? [] : [txid])),
  });
  return {
    transactions: rows.map((row) =>
      view(row, {
        tipHeight: tips.get(row.coin) ?? 0,
        price: row.currency === null ? prices.get(row.id) : row,
      }),
    ),
    total,
  };
}

function view(
  row: WalletTransactionRow,
  at: { readonly tipHeight: number; readonly price: MovementPrice | undefined },
): WalletTransaction {
  const { coin } = row;
  const { currency = null, rate = null } = at.price ?? {};
  return {
    id: row.id,
    direction: row.direction,
    coin,
    txHash: row.txid,
    address: row.address,
    outputs: viewOutputs({ ...row, destination: row.address }),
    amount: formatCoinAmount(BigInt(row.amount), coin),
    fee: row.fee === null ? null : formatCoinAmount(BigInt(row.fee), coin),
    maxFee: row.maxFee === null ? null : formatCoinAmount(BigInt(row.maxFee), coin),
    feeLimited: row.feeLimitedAt !== null && row.height === null && row.status !== 'failed',
    status: row.status,
    parts: row.parts === 0 ? null : { total: row.parts, confirmed: row.partsConfirmed },
    // A block that includes a reverted send confirms no payment.
    confirmations:
      row.height === null || row.status === 'broadcast' ? 0 : Math.max(1, at.tipHeight - row.height + 1),
    paymentId: row.paymentId,
    error: row.error,
    currency,
    rate,
    fiatAmount: fiatAmount(BigInt(row.amount), coin, { currency, rate }),
    createdAt: new Date(row.createdAt).toISOString(),
  };
}
