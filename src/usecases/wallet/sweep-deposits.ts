import {
  ChainError,
  InsufficientFunds,
  UnsendableAmount,
  type ChainAdapter,
  type FeeQuote,
  type SendPlan,
} from '../../domain/chain.ts';
import type { ChainId, Coin, Mode } from '../../domain/coins.ts';
import { settledHeight, type ConfirmationPolicy } from '../../domain/confirmations.ts';
import { finalHeightsOf, findCursor } from '../../store/chain-cursors.ts';
import { inTransaction, type Tx } from '../../store/database.ts';
import { settledDeposits, type Deposit } from '../../store/deposits.ts';
import { laneOf } from '../../store/lanes.ts';
import { spendableFunds } from '../../store/spendable.ts';
import { handToNode } from './hand-to-node.ts';
import { recordAnswer } from './record-answer.ts';
import type { SendCoinsDeps } from './send-coins.ts';
import type { SendOrder } from './send-order.ts';
import { sendsFromOneAddress } from './sender.ts';
import { storeSend } from './store-send.ts';
import { isWorthItsFee } from './sweep-worth.ts';

export interface SweepDepositsDeps extends SendCoinsDeps {
  readonly confirmations: (coin: Coin, mode: Mode) => ConfirmationPolicy;
}

/** Deposits moved in one round. */
const ROUND_SIZE = 20;
/** How long a deposit rests after the node refused to move it. */
const REST_MS = 3_600_000;

/**
 * Moves settled deposits to the merchant's address on chains where a send can draw on that address
 * only, when they are worth their fee. Each leaves exactly nothing behind. The signed bytes are
 * stored before the node sees them and carried on like those of any send.
 */
export async function sweepDeposits(deps: SweepDepositsDeps, chain: ChainId): Promise<void> {
  const adapter = deps.chains.get(chain.coin, chain.mode);
  const tip = await findCursor(deps.db, chain);
  if (!sendsFromOneAddress(chain) || adapter === null || tip === undefined) return;
  const { base } = deps.confirmations(chain.coin, chain.mode);
  const final = await finalHeightsOf(deps.db, chain);
  const settled = settledHeight(base, { tip: tip.height, final });
  const now = deps.clock.now();
  const upTo = { height: settled, failedBefore: now - REST_MS, now };
  const deposits = await settledDeposits(deps.db, chain, upTo);
  for (const deposit of deposits.slice(0, ROUND_SIZE)) {
    try {
      // They come largest first: where one is not worth it, no later one is.
      if (!(await sweep(deps, chain, { adapter, deposit }))) return;
    } catch (error) {
      if (isNodeTrouble(deps, chain, error)) return;
      // One that cannot be moved must not hold up those behind it.
      const { address } = deposit;
      deps.logger.error({ ...chain, address, err: error }, 'could not move a deposit; trying again');
    }
  }
}

/** Then nothing else is asked of the node in this round, and a line in the log says why. */
export function isNodeTrouble(
  { logger }: Pick<SweepDepositsDeps, 'logger'>,
  chain: ChainId,
  error: unknown,
): boolean {
  if (!(error instanceof ChainError)) return false;
  const { coin, mode } = chain;
  logger.warn({ coin, mode, error: error.message }, 'could not move deposits; trying again');
  return true;
}

type Using = { readonly adapter: ChainAdapter; readonly deposit: Deposit };

/** False when it is not worth its fee. @throws {ChainError} when the node says nothing about fees. */
async function sweep(deps: SweepDepositsDeps, chain: ChainId, using: Using): Promise<boolean> {
  const { adapter, deposit } = using;
  const { merchantId, account, address: from, amount } = deposit;
  const destination = deps.deriver.address({ ...chain, account, branch: 0, index: 0 });
  const order: SendOrder = { ...chain, merchantId, account, destination, amount, subtractFee: true };
  const quote = await adapter.feeQuote({ from, destination, amount });
  const stored = await inTransaction(deps.db, async (tx) => {
    const plan = await planSweep(tx, order, { adapter, from, quote });
    if (plan === null) return null;
    return storeSend(tx, deps, { order, adapter, plan, purpose: 'sweep', idempotencyKey: null });
  });
  if (stored === null) return false;
  const { id, txid, version } = stored.send;
  deps.logger.info({ ...chain, sweepId: id, txid, from }, 'moving a deposit to the merchant address');
  const result = await handToNode(adapter, stored.transaction);
  await inTransaction(deps.db, async (tx) =>
    recordAnswer(tx, deps, { sendId: id, version, result, neverOffered: true }),
  );
  return true;
}

/** Null when the deposit is not worth its fee, or not there any more. */
async function planSweep(
  tx: Tx,
  order: SendOrder,
  using: { readonly adapter: ChainAdapter; readonly from: string; readonly quote: FeeQuote },
): Promise<SendPlan | null> {
  const { adapter, from, quote } = using;
  const { destination, amount } = order;
  const lane = await laneOf(tx, { ...order, address: from, fromNonce: quote.account?.nonce ?? 0 });
  const funds = await spendableFunds(tx, { ...order, from });
  const request = { funds, destination, amount, subtractFee: true, changeAddress: from, quote, lane };
  try {
    const plan = adapter.planSend(request);
    return isWorthItsFee(amount, plan.fee) ? plan : null;
  } catch (error) {
    if (error instanceof InsufficientFunds || error instanceof UnsendableAmount) return null;
    throw error;
  }
}
