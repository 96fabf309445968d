import { COINS, byCoin, type Coin, type Mode } from '../../domain/coins.ts';
import { merchantAddress } from '../../store/ledger/addresses.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { merchantMode } from '../access/index.ts';
import type { WalletOwner } from './send/send-order.ts';

/** The merchant's own address of each coin in a mode, to which coins are sent to fill the wallet. */
export async function getWalletAddresses(
  deps: { readonly db: Db },
  { merchant, mode: requestedMode }: { readonly merchant: WalletOwner; readonly mode?: Mode | undefined },
): Promise<Record<Coin, string>> {
  const mode = merchantMode(merchant, requestedMode);
  const wallets = byCoin(COINS, () => '');
  for (const coin of COINS) {
    wallets[coin] = (await merchantAddress(deps.db, { coin, mode, merchantId: merchant.id })) ?? '';
  }
  return wallets;
}
