import type { ChainAdapter } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import { nonceGapBudget } from '../../../domain/send/fee-budget.ts';
import {
  budgetsBehind,
  nonceGaps,
  loadNonceSequence,
  type NonceGap,
} from '../../../store/sends/nonce-sequences.ts';
import { spendableFunds } from '../../../store/ledger/spendable.ts';
import { createSweep } from '../sweep/create-sweep.ts';
import type { SendCoinsDeps } from '../send/make-send.ts';
import type { SendOrder } from '../send/send-order.ts';
import { sendsFromOneAddress } from '../send/sender.ts';
import { recordFailure, recordNoop, recordSuccess, type SweepBackoff } from '../sweep/sweep-backoff.ts';

/** Nonce gaps closed in one round. */
const ROUND_SIZE = 20;
/** The smallest amount that can be sent: the account pays it to itself. */
const SMALLEST_AMOUNT = 1n;
const COULD_NOT = 'closing a nonce gap failed';

/**
 * Closes nonce gaps: uses up nonces that rejected sends left unused below those of later sends, which cannot
 * be mined until then. Each costs the fee of one transfer of an account to itself, within the budgets of the
 * sends that wait behind it. A gap that cannot be closed blocks neither the others nor the sweeps that
 * follow.
 * @param memory the same in every round
 */
export async function fillNonceGaps(
  deps: SendCoinsDeps,
  chain: ChainId,
  memory: SweepBackoff,
): Promise<void> {
  const adapter = deps.chains.get(chain.coin, chain.mode);
  if (!sendsFromOneAddress(chain) || adapter === null) return;
  const failed = memory.gaps.all();
  const gaps = await nonceGaps(deps.db, chain, ROUND_SIZE + failed.length);
  const present = new Set(gaps.map(gapKey));
  for (const key of failed) if (!present.has(key)) memory.gaps.recordSuccess(key);
  // Without failures first; the sort is stable.
  const due = gaps
    .filter((gap) => !memory.gaps.isResting(gapKey(gap)))
    .sort((a, b) => memory.gaps.failures(gapKey(a)) - memory.gaps.failures(gapKey(b)));
  for (const gap of due.slice(0, ROUND_SIZE)) {
    const attempt = { key: gapKey(gap), kind: memory.gaps, fields: gap, what: COULD_NOT };
    try {
      if (await fillNonceGap(deps, chain, { adapter, gap })) recordSuccess(memory, attempt);
      else recordNoop(memory, attempt);
    } catch (error) {
      if (recordFailure({ ...deps, memory, chain }, attempt, error)) return;
    }
  }
}

function gapKey({ address, nonce }: NonceGap): string {
  return `${address} ${nonce}`;
}

/** False when the node expects another nonce: the gap was closed in the meantime, or is none. */
async function fillNonceGap(
  deps: SendCoinsDeps,
  chain: ChainId,
  { adapter, gap }: { readonly adapter: ChainAdapter; readonly gap: NonceGap },
): Promise<boolean> {
  const { merchantId, account, address: from, nonce } = gap;
  const amount = SMALLEST_AMOUNT;
  const order: SendOrder = { ...chain, merchantId, account, destination: from, amount, subtractFee: false };
  const quote = await adapter.feeQuote({ from, destination: from, amount });
  return createSweep(deps, {
    adapter,
    merchantId,
    plan: async (tx) => {
      const nonceSequence = await loadNonceSequence(tx, { ...order, address: from, fromNonce: nonce });
      const funds = await spendableFunds(tx, { ...order, from });
      const sender = { destination: from, changeAddress: from };
      const plan = adapter.planSend({ ...sender, funds, amount, subtractFee: false, quote, nonceSequence });
      const behind = await budgetsBehind(tx, chain, gap);
      const maxFee = nonceGapBudget(nonceSequence.committed, behind, deps.policy);
      return plan.account?.nonce === nonce ? { order, plan, maxFee, unblocksSends: true } : null;
    },
    log: ({ id, txid }) =>
      deps.logger.info(
        { ...chain, sendId: id, txid, nonce },
        'nonce gap of a rejected send filled by a transaction; later sends can be mined',
      ),
  });
}
