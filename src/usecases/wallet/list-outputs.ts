import { outputKey } from '../../domain/chain.ts';
import type { Coin, Mode } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findFeeLevel } from '../../store/ledger/fee-levels.ts';
import { pageWalletOutputs, type WalletOutputRow } from '../../store/ledger/wallet-outputs.ts';
import { merchantMode } from '../access/index.ts';
import { spendableChange } from './lifecycle/ancestry.ts';
import type { WalletOwner } from './send/send-order.ts';

/** Why sends cannot use an output now. */
export const OUTPUT_HOLDS = ['frozen', 'reserved', 'spending', 'unconfirmed', 'immature', 'dust'] as const;
export type OutputHold = (typeof OUTPUT_HOLDS)[number];

/** One unspent output of the wallet. */
export interface WalletOutput {
  readonly txHash: string;
  readonly index: number;
  readonly coin: Coin;
  readonly address: string;
  readonly amount: string;
  readonly confirmations: number;
  readonly frozen: boolean;
  /** Whether a send may use it now; else `hold` gives the reason. */
  readonly spendable: boolean;
  readonly hold: OutputHold | null;
  /** The open send that has reserved it. */
  readonly sendId: string | null;
  readonly paymentId: string | null;
}

export interface ListOutputsInput {
  readonly merchant: WalletOwner;
  /** Defaults to its current mode. */
  readonly mode?: Mode | undefined;
  readonly coin: Coin;
  readonly page: number;
  readonly limit: number;
}

/** The unspent outputs of the merchant's wallet in a mode, newest first. */
export async function listOutputs(
  deps: { readonly db: Db },
  { merchant, mode: requestedMode, coin, page, limit }: ListOutputsInput,
): Promise<{ outputs: WalletOutput[]; total: number }> {
  const mode = merchantMode(merchant, requestedMode);
  const wallet = { coin, mode, merchantId: merchant.id };
  const { rows, total } = await pageWalletOutputs(deps.db, { ...wallet, page, limit });
  const tip = (await findCursor(deps.db, wallet))?.height ?? 0;
  const change = new Set((await spendableChange(deps.db, wallet)).funds.map(({ ref }) => outputKey(ref)));
  const inputCost = (await findFeeLevel(deps.db, wallet))?.inputCost ?? 0n;
  const outputs = rows.map((row): WalletOutput => {
    const hold = findHold(row, { tip, change, inputCost });
    return {
      txHash: row.txid,
      index: row.vout,
      coin,
      address: row.address,
      amount: formatCoinAmount(BigInt(row.amount), coin),
      confirmations: countConfirmations(row, tip),
      frozen: row.frozen !== null,
      spendable: hold === null,
      hold,
      sendId: row.sendId,
      paymentId: row.paymentId,
    };
  });
  return { outputs, total };
}

function findHold(
  row: WalletOutputRow,
  known: { readonly tip: number; readonly change: ReadonlySet<string>; readonly inputCost: bigint },
): OutputHold | null {
  if (row.frozen !== null) return 'frozen';
  if (row.sendId !== null) return 'reserved';
  if (row.spentBy !== null) return 'spending';
  const isChange = known.change.has(outputKey({ txid: row.txid, index: row.vout }));
  if (row.state !== 'confirmed' && !isChange) return 'unconfirmed';
  if (row.state === 'confirmed' && countConfirmations(row, known.tip) < row.maturity) return 'immature';
  return BigInt(row.amount) <= known.inputCost ? 'dust' : null;
}

function countConfirmations({ height }: WalletOutputRow, tip: number): number {
  return height === null ? 0 : Math.max(1, tip - height + 1);
}
