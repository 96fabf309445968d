import { COINS, byCoin, type Coin } from '../../domain/coins.ts';
import { merchantAddress } from '../../store/ledger/addresses.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { WalletOwner } from '../sends/send-order.ts';

/** The merchant's own address of each coin in its current mode: where to send coins to fill the wallet. */
export async function getWalletAddresses(
  deps: { readonly db: Db },
  { merchant }: { readonly merchant: WalletOwner },
): Promise<Record<Coin, string>> {
  const mode = merchant.sandbox === 1 ? 'sandbox' : 'live';
  const wallets = byCoin(COINS, () => '');
  for (const coin of COINS) {
    wallets[coin] = (await merchantAddress(deps.db, { coin, mode, merchantId: merchant.id })) ?? '';
  }
  return wallets;
}
