import { isUtxoCoin, UTXO_CODES, type Coin, type Mode } from '../../domain/coins.ts';
import { invalidField } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { setFrozen } from '../../store/ledger/frozen-outputs.ts';
import { findOutput } from '../../store/ledger/outputs.ts';
import type { WalletOwner } from './send/send-order.ts';

export interface FreezeOutputsInput {
  readonly merchant: WalletOwner;
  readonly coin: Coin;
  readonly outputs: readonly { readonly txHash: string; readonly index: number }[];
  readonly frozen: boolean;
}

/**
 * Freezes outputs of the wallet, so that no further send uses them, or unfreezes them. An output that an open send has
 * reserved stays reserved for that send.
 * @throws {AppError} VALIDATION_INVALID naming an output that is not in the wallet.
 */
export async function freezeOutputs(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { merchant, coin, outputs, frozen }: FreezeOutputsInput,
): Promise<{ changed: number }> {
  if (!isUtxoCoin(coin)) throw invalidField('coin', `is not held in outputs: use ${UTXO_CODES.join(' or ')}`);
  const mode: Mode = merchant.sandbox ? 'sandbox' : 'live';
  await db.transaction(async (tx) => {
    for (const [at, { txHash: txid, index }] of outputs.entries()) {
      const ref = { txid, index };
      const output = await findOutput(tx, { coin, mode }, ref);
      if (output?.merchantId !== merchant.id) {
        throw invalidField(`outputs.${at}`, 'is not an output of this wallet');
      }
      await setFrozen(tx, { coin, mode }, { ref, frozen, now: clock.now() });
    }
  });
  return { changed: outputs.length };
}
