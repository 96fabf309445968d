import type { Coin, Mode } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findOutputLabels } from '../../store/ledger/wallet-labels.ts';
import { pageWalletOutputs } from '../../store/ledger/wallet-outputs.ts';
import { merchantMode } from '../access/index.ts';
import { countConfirmations, findHold, type OutputHold, readHoldFacts } from './output-hold.ts';
import type { WalletOwner } from './send/send-order.ts';

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
  /** Imported by BIP 329: its own, or else that of its address, or of its transaction. */
  readonly label: string | null;
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
  const facts = await readHoldFacts(deps.db, wallet);
  const labels = await findOutputLabels(deps.db, wallet, rows);
  const outputs = rows.map((row, index): WalletOutput => {
    const hold = findHold(row, facts);
    return {
      txHash: row.txid,
      index: row.vout,
      coin,
      address: row.address,
      amount: formatCoinAmount(BigInt(row.amount), coin),
      confirmations: countConfirmations(row, facts.tip),
      frozen: row.frozen !== null,
      spendable: hold === null,
      hold,
      sendId: row.sendId,
      paymentId: row.paymentId,
      label: labels[index] ?? null,
    };
  });
  return { outputs, total };
}
