import { COINS, byCoin, type Coin, type Mode } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { merchantAddress } from '../../store/ledger/addresses.ts';
import { loadNonceSequence } from '../../store/sends/nonce-sequences.ts';
import { findFeeLevel } from '../../store/ledger/fee-levels.ts';
import { spendableFunds, spendableTotal, type WalletRef } from '../../store/ledger/spendable.ts';
import { OUTPUTS_PER_SEND } from '../../domain/accounts.ts';
import { merchantMode } from '../access/index.ts';
import { spendableChange } from './lifecycle/ancestry.ts';
import type { WalletOwner } from './send/send-order.ts';
import { sendsFromOneAddress, spendsAccounts } from './send/sender.ts';

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

async function spendable(db: Db, wallet: WalletRef): Promise<bigint> {
  const { amount } = await confirmedBalance(db, wallet);
  if (spendsAccounts(wallet)) return amount;
  const inputCost = (await findFeeLevel(db, wallet))?.inputCost ?? 0n;
  return amount + (await sumSpendableChange(db, wallet, inputCost));
}

/**
 * Confirmed money that no send has reserved, and how much of it one transaction reaches. Where one address pays for
 * every send: its balance less the amounts of open sends.
 */
export async function confirmedBalance(
  db: Db,
  wallet: WalletRef,
): Promise<{ readonly amount: bigint; readonly reach: bigint }> {
  const inputCost = (await findFeeLevel(db, wallet))?.inputCost ?? 0n;
  if (sendsFromOneAddress(wallet)) {
    const amount = await balanceOfAddress(db, wallet);
    return { amount, reach: amount };
  }
  const { amount, count } = await spendableTotal(db, wallet, inputCost);
  if (spendsAccounts(wallet) || count <= OUTPUTS_PER_SEND) return { amount, reach: amount };
  const funds = await spendableFunds(db, wallet);
  const reach = funds.reduce((sum, fund) => (fund.amount > inputCost ? sum + fund.amount : sum), 0n);
  return { amount, reach };
}

async function balanceOfAddress(db: Db, wallet: WalletRef): Promise<bigint> {
  const from = await merchantAddress(db, wallet);
  if (from === undefined) return 0n;
  const { amount } = await spendableTotal(db, { ...wallet, from }, 0n);
  const { committed } = await loadNonceSequence(db, {
    ...wallet,
    address: from,
    fromNonce: Number.MAX_SAFE_INTEGER,
  });
  return amount > committed ? amount - committed : 0n;
}

async function sumSpendableChange(db: Db, wallet: WalletRef, inputCost: bigint): Promise<bigint> {
  const { funds } = await spendableChange(db, wallet);
  return funds.reduce((sum, { amount }) => (amount > inputCost ? sum + amount : sum), 0n);
}
