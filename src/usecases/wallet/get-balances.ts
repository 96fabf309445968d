import { COINS, type Coin } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { Db } from '../../store/database.ts';
import { spendableAmounts } from '../../store/spendable.ts';
import type { WalletOwner } from './send-order.ts';

export type Balances = Readonly<Record<Coin, string>>;

/**
 * What one send of each coin could spend now, fee included, in the coin's unit: from the ledger
 * alone, so it answers while nodes are down.
 */
export async function getBalances(
  deps: { readonly db: Db },
  input: { readonly merchant: WalletOwner },
): Promise<Balances> {
  const mode = input.merchant.sandbox === 1 ? 'sandbox' : 'live';
  const balances: Record<Coin, string> = { BTC: '0', ETH: '0', LTC: '0', SOL: '0' };
  for (const coin of COINS) {
    const amounts = await spendableAmounts(deps.db, { coin, mode, merchantId: input.merchant.id });
    const total = amounts.reduce((sum, amount) => sum + amount, 0n);
    balances[coin] = formatCoinAmount(total, coin);
  }
  return balances;
}
