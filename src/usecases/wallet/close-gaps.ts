import { ChainError, InsufficientFunds } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { inTransaction } from '../../store/database.ts';
import { laneGaps, laneOf, type LaneGap } from '../../store/lanes.ts';
import { spendableFunds } from '../../store/spendable.ts';
import { handToNode } from './hand-to-node.ts';
import { recordAnswer } from './record-answer.ts';
import type { SendCoinsDeps } from './send-coins.ts';
import type { SendOrder } from './send-order.ts';
import { sendsFromOneAddress } from './sender.ts';
import { storeSend } from './store-send.ts';

/** Gaps closed in one round. */
const ROUND_SIZE = 20;
/** The least that can be sent: it goes from the account to itself. */
const TOKEN_AMOUNT = 1n;

/**
 * Uses up nonces that refused sends left free below sends that came after them: no node mines
 * those before. Each costs the fee of one transfer of an account to itself.
 */
export async function closeGaps(deps: SendCoinsDeps, chain: ChainId): Promise<void> {
  if (!sendsFromOneAddress(chain)) return;
  for (const gap of await laneGaps(deps.db, chain, ROUND_SIZE)) {
    try {
      await closeGap(deps, chain, gap);
    } catch (error) {
      const isUsual = error instanceof ChainError || error instanceof InsufficientFunds;
      // One that cannot be closed must hold up neither the others nor the deposits that are moved after them.
      const why = { ...chain, ...gap, err: error };
      if (!isUsual) deps.logger.error(why, 'could not close a gap between sends; trying again');
      else
        deps.logger.warn({ ...chain, ...gap, error: error.message }, 'could not close a gap between sends');
    }
  }
}

async function closeGap(deps: SendCoinsDeps, chain: ChainId, gap: LaneGap): Promise<void> {
  const adapter = deps.chains.get(chain.coin, chain.mode);
  if (adapter === null) return;
  const { merchantId, account, address: from, nonce } = gap;
  const amount = TOKEN_AMOUNT;
  const order: SendOrder = { ...chain, merchantId, account, destination: from, amount, subtractFee: false };
  const quote = await adapter.feeQuote({ from, destination: from, amount });
  const stored = await inTransaction(deps.db, async (tx) => {
    const lane = await laneOf(tx, { ...order, address: from, fromNonce: nonce });
    const funds = await spendableFunds(tx, { ...order, from });
    const request = {
      funds,
      destination: from,
      amount,
      subtractFee: false,
      changeAddress: from,
      quote,
      lane,
    };
    const plan = adapter.planSend(request);
    // The node counts from elsewhere: the gap was closed in the meantime, or is not one.
    if (plan.account?.nonce !== nonce) return null;
    return storeSend(tx, deps, { order, adapter, plan, purpose: 'sweep', idempotencyKey: null });
  });
  if (stored === null) return;
  const { id, txid, version } = stored.send;
  deps.logger.warn({ ...chain, sendId: id, txid, nonce }, 'closing a gap that a refused send left');
  const result = await handToNode(adapter, stored.transaction);
  await inTransaction(deps.db, async (tx) =>
    recordAnswer(tx, deps, { sendId: id, version, result, neverOffered: true }),
  );
}
