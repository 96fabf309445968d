import { COINS, type Coin, type Mode } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import { pageWalletTransactions, type WalletTransactionRow } from '../../store/ledger/wallet-transactions.ts';
import { modeOf } from '../merchants/mode-of.ts';
import type { WalletOwner } from '../sends/send-order.ts';

export interface WalletTransaction {
  /** The send's id, or `txHash:index` of an output that paid us. */
  readonly id: string;
  readonly direction: 'in' | 'out';
  readonly coin: Coin;
  readonly txHash: string;
  /** Our address that was paid, or the destination. */
  readonly address: string;
  readonly amount: string;
  /** Network fee of a send; null for incoming money. */
  readonly fee: string | null;
  /** `unconfirmed`, `confirmed` or `gone` incoming; the send's status outgoing. */
  readonly status: string;
  readonly confirmations: number;
  readonly paymentId: string | null;
  readonly error: string | null;
  readonly createdAt: string;
}

export interface ListWalletTransactionsInput {
  readonly merchant: WalletOwner;
  /** Its current mode when left out. */
  readonly mode?: Mode | undefined;
  readonly coin?: Coin | undefined;
  readonly direction?: 'in' | 'out' | undefined;
  readonly page: number;
  readonly limit: number;
}

/** Money in and out of the merchant's wallet in a mode, newest first. */
export async function listWalletTransactions(
  deps: { readonly db: Db },
  input: ListWalletTransactionsInput,
): Promise<{ transactions: WalletTransaction[]; total: number }> {
  const mode = modeOf(input.merchant, input.mode);
  const { rows, total } = await pageWalletTransactions(deps.db, {
    merchantId: input.merchant.id,
    mode,
    coin: input.coin ?? null,
    direction: input.direction ?? null,
    page: input.page,
    limit: input.limit,
  });
  const tips = new Map<Coin, number>();
  for (const coin of COINS) tips.set(coin, (await findCursor(deps.db, { coin, mode }))?.height ?? 0);
  return { transactions: rows.map((row) => view(row, tips.get(row.coin) ?? 0)), total };
}

function view(row: WalletTransactionRow, tipHeight: number): WalletTransaction {
  const { coin } = row;
  return {
    id: row.id,
    direction: row.direction,
    coin,
    txHash: row.txid,
    address: row.address,
    amount: formatCoinAmount(BigInt(row.amount), coin),
    fee: row.fee === null ? null : formatCoinAmount(BigInt(row.fee), coin),
    status: row.status,
    // A block that includes a reverted send confirms no payment.
    confirmations:
      row.height === null || row.status === 'broadcast' ? 0 : Math.max(1, tipHeight - row.height + 1),
    paymentId: row.payment_id,
    error: row.error,
    createdAt: new Date(row.created_at).toISOString(),
  };
}
