import { ChainError } from '../../../domain/chain.ts';
import { findWatchAccountByNumber } from '../../../store/ledger/watch-accounts.ts';
import { findBlocksWith } from '../../../store/ledger/watched-funds.ts';
import { updatePsbt } from '../../../store/sends/send-psbts.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import { readPlan } from '../lifecycle/stored-plan.ts';
import { findUnsignedPsbt } from './get-send.ts';
import type { SendCoinsDeps } from './make-send.ts';

/**
 * Adds to the PSBT of a send the transactions that its inputs come from: hardware wallets check the amounts of segwit
 * version 0 by them. A pruned node may no longer have them; most signers then warn, or accept it.
 */
export async function addPreviousTransactions(
  deps: Pick<SendCoinsDeps, 'db' | 'chains' | 'clock' | 'logger' | 'readWatchAccount'>,
  send: StoredSend,
): Promise<void> {
  const unsigned = await findUnsignedPsbt(deps.db, send);
  const source = deps.chains.get(send.coin, send.mode)?.psbt;
  if (unsigned === undefined || source === undefined) return;
  const account = await findWatchAccountByNumber(deps.db, unsigned.accountNumber);
  const keys = account === undefined ? null : deps.readWatchAccount(send, account.descriptor);
  if (keys === null || 'problem' in keys) return;
  const { inputs } = readPlan(unsigned.planJson);
  try {
    const transactions = await source.previousTransactions(await findBlocksWith(deps.db, send, inputs));
    await deps.db.transaction(async (tx) => {
      // Signatures may have been submitted meanwhile.
      const stored = await findUnsignedPsbt(tx, send);
      const psbt = stored?.psbt ?? null;
      if (psbt === null || keys.psbts === null) return;
      await updatePsbt(tx, send.id, { psbt: keys.psbts.addPrevious(psbt, transactions) }, deps.clock.now());
    });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    deps.logger.warn(
      { sendId: send.id, err: error },
      'node returned no previous transactions; the PSBT of a send lacks them',
    );
  }
}
