import { AppError } from '../../../domain/errors.ts';
import { toCreator } from '../../../store/creators.ts';
import { changeBudget } from '../../../store/sends/fee-budgets.ts';
import { findSend, updateSend } from '../../../store/sends/sends.ts';
import { requireUnfrozen } from '../../../store/sends/wallet-freezes.ts';
import type { BumpSendsDeps } from '../lifecycle/bump-sends.ts';
import { quoteFor, replaceSend, type ReplaceSendInput } from '../lifecycle/replace-send.ts';
import { ensureRates } from './ensure-rates.ts';
import { readFeeRate, readMaxFee } from './fee-terms.ts';
import { getSend } from './get-send.ts';
import { sendBusyError, signedElsewhere } from './open-send.ts';
import { countingTerms } from './store-send.ts';
import type { SendView } from './send-view.ts';

/**
 * Bumps the fee of one open send on request, by any percentage; the payment stays the same. A send that
 * gathers its outputs has no transaction to replace: it gets another budget or fee rate for its unsigned
 * ones.
 * @throws {AppError} like replaceSend; WALLET_FROZEN.
 */
export async function bumpSend(deps: BumpSendsDeps, input: ReplaceSendInput): Promise<SendView> {
  await requireUnfrozen(deps.db, input.merchantId);
  const stored = await findSend(deps.db, input.sendId);
  const isPreparing = stored?.merchantId === input.merchantId && stored.status === 'preparing';
  if (isPreparing && stored.byPsbt) throw signedElsewhere();
  if (!isPreparing) return replaceSend(deps, input, { takeBack: false });
  const { id, coin } = stored;
  const [maxFee, feeRate] = [readMaxFee(input.maxFee, coin), readFeeRate(input.feeRate, coin)];
  if (maxFee === null && feeRate === null) throw hasNoTransaction();
  const adapter = deps.chains.get(coin, stored.mode);
  if (adapter === null) throw new AppError('COIN_UNAVAILABLE', `${coin} is not configured`);
  if (feeRate !== null) await quoteFor(adapter, feeRate);
  if (maxFee !== null) await ensureRates(deps, { merchantId: stored.merchantId, creator: toCreator(stored) });
  const changed = await deps.inFlight.take(id, async () =>
    deps.db.transaction(async (tx) => {
      if ((await findSend(tx, id))?.status !== 'preparing') return false;
      const now = deps.clock.now();
      if (maxFee !== null)
        await changeBudget(tx, stored, maxFee, countingTerms(deps, { ordered: BigInt(stored.ordered), now }));
      const rate = feeRate === null ? {} : { orderedRate: feeRate.toString() };
      // The next round plans it again.
      await updateSend(tx, id, { ...rate, feeLimitedAt: null, nextBroadcastAt: now }, now);
      return true;
    }),
  );
  if (changed !== true) throw sendBusyError();
  deps.logger.info(
    { sendId: id, maxFee: input.maxFee, feeRate: input.feeRate },
    'maxFee or fee rate of a send in preparation changed',
  );
  return getSend(deps, input);
}

function hasNoTransaction(): AppError {
  return new AppError(
    'INVALID_STATE',
    'this send gathers its outputs and is not signed yet: set maxFee, or feeRate for its unsigned transactions, or cancel it',
  );
}
