import { COINS, byCoin, type Coin, type Mode } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { merchantAddress } from '../../store/ledger/addresses.ts';
import { loadNonceSequence } from '../../store/sends/nonce-sequences.ts';
import { findFeeLevel } from '../../store/ledger/fee-levels.ts';
import { spendableTotal, type WalletRef } from '../../store/ledger/spendable.ts';
import { accountsPerSend } from '../../domain/accounts.ts';
import { merchantMode } from '../access/index.ts';
import { spendableChange } from './lifecycle/ancestry.ts';
import type { WalletOwner } from './send/send-order.ts';
import { sendsFromOneAddress } from './send/sender.ts';

export type Balances = Readonly<Record<Coin, string>>;

/**
 * Spendable balance of each coin, network fee included, in the coin's unit: confirmed money and unconfirmed change of own
 * sends, without outputs that cost more to spend than they hold. Reads the ledger only, so it works while nodes are down.
 */
export async function getBalances(
  deps: { readonly db: Db },
  input: { readonly merchant: WalletOwner; readonly mode?: Mode | undefined },
): Promise<Balances> {
  const mode = merchantMode(input.merchant, input.mode);
  const balances = byCoin(COINS, () => '0');
  for (const coin of COINS) {
    const total = await spendable(deps.db, { coin, mode, merchantId: input.merchant.id });
    balances[coin] = formatCoinAmount(total, coin);
  }
  return balances;
}

/** Where one address pays for every send: its balance less the amounts of open sends. */
async function spendable(db: Db, wallet: WalletRef): Promise<bigint> {
  const isOne = sendsFromOneAddress(wallet);
  const from = isOne ? await merchantAddress(db, wallet) : undefined;
  const inputCost = (await findFeeLevel(db, wallet))?.inputCost ?? 0n;
  const { amount } = await spendableTotal(db, { ...wallet, from }, inputCost);
  if (from === undefined) return isOne ? 0n : amount + (await sumSpendableChange(db, wallet, inputCost));
  const { committed } = await loadNonceSequence(db, {
    ...wallet,
    address: from,
    fromNonce: Number.MAX_SAFE_INTEGER,
  });
  return amount > committed ? amount - committed : 0n;
}

async function sumSpendableChange(db: Db, wallet: WalletRef, inputCost: bigint): Promise<bigint> {
  if (accountsPerSend(wallet) !== null) return 0n;
  const { funds } = await spendableChange(db, wallet);
  return funds.reduce((sum, { amount }) => (amount > inputCost ? sum + amount : sum), 0n);
}
