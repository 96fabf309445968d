import { COINS, type Coin } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { Db } from '../../store/database.ts';
import { merchantAddress } from '../../store/addresses.ts';
import { laneOf } from '../../store/lanes.ts';
import { spendableAmounts, type WalletRef } from '../../store/spendable.ts';
import type { WalletOwner } from './send-order.ts';
import { sendsFromOneAddress } from './sender.ts';

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
    const total = await spendable(deps.db, { coin, mode, merchantId: input.merchant.id });
    balances[coin] = formatCoinAmount(total, coin);
  }
  return balances;
}

/** Where one address pays for every send, only what it holds and no open send will use. */
async function spendable(db: Db, wallet: WalletRef): Promise<bigint> {
  const isOne = sendsFromOneAddress(wallet);
  const from = isOne ? await merchantAddress(db, wallet) : undefined;
  const amounts = await spendableAmounts(db, { ...wallet, from });
  const total = amounts.reduce((sum, amount) => sum + amount, 0n);
  if (from === undefined) return isOne ? 0n : total;
  const { committed } = await laneOf(db, { ...wallet, address: from, fromNonce: Number.MAX_SAFE_INTEGER });
  return total > committed ? total - committed : 0n;
}
