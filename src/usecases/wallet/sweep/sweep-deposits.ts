import { UnsendableAmount, type ChainAdapter, type FeeQuote, type SendPlan } from '../../../domain/chain.ts';
import type { ChainId, Coin, Mode } from '../../../domain/coins.ts';
import { settledHeight, type ConfirmationPolicy } from '../../../domain/confirmations.ts';
import { sweepBudget } from '../../../domain/send/fee-budget.ts';
import { finalHeights, findCursor } from '../../../store/chain/chain-cursors.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { settledDeposits, type Deposit, type SettledUpTo } from '../../../store/ledger/deposits.ts';
import { loadNonceSequence } from '../../../store/sends/nonce-sequences.ts';
import { spendableFunds } from '../../../store/ledger/spendable.ts';
import { createSweep } from './create-sweep.ts';
import type { SendCoinsDeps } from '../send/make-send.ts';
import type { SendOrder } from '../send/send-order.ts';
import { sendsFromOneAddress } from '../send/sender.ts';
import { recordFailure, recordSuccess, type SweepBackoff } from './sweep-backoff.ts';

export interface SweepDepositsDeps extends SendCoinsDeps {
  readonly confirmations: (coin: Coin, mode: Mode) => ConfirmationPolicy;
}

/** Deposits moved in one round. */
const ROUND_SIZE = 20;
/** Of these, reserved for retries when enough others are due. */
const ROUND_RETRIES = 5;
/** Backoff of a deposit after the node rejected its sweep. */
const REST_MS = 3_600_000;
const COULD_NOT = 'sweeping a deposit failed';

/**
 * Sweeps settled deposits to the merchant's address on chains where a send can draw on that address only, when they
 * are worth their fee. Each leaves exactly zero behind. Signed bytes are stored before the node sees them and
 * rebroadcast like those of any send. Deposits that could not be moved go behind all others and are retried after a
 * backoff, so that each gets its turn.
 * @param memory the same in every round
 */
export async function sweepDeposits(
  deps: SweepDepositsDeps,
  chain: ChainId,
  memory: SweepBackoff,
): Promise<void> {
  const adapter = deps.chains.get(chain.coin, chain.mode);
  const tip = await findCursor(deps.db, chain);
  if (!sendsFromOneAddress(chain) || adapter === null || tip === undefined) return;
  const { base } = deps.confirmations(chain.coin, chain.mode);
  const final = await finalHeights(deps.db, chain);
  const settled = settledHeight(base, { tip: tip.height, final });
  const now = deps.clock.now();
  const upTo = { height: settled, failedBefore: now - REST_MS, now };
  const { fresh, again } = await chooseDeposits(deps.db, chain, { upTo, memory });
  const move = async (deposit: Deposit): Promise<Outcome> => {
    const { address } = deposit;
    const attempt = { key: address, kind: memory.deposits, fields: { address }, what: COULD_NOT };
    try {
      const isWorthIt = await sweep(deps, chain, { adapter, deposit });
      recordSuccess(memory, attempt);
      return isWorthIt ? 'moved' : 'not_worth_it';
    } catch (error) {
      return recordFailure({ ...deps, memory, chain }, attempt, error) ? 'node_trouble' : 'failed';
    }
  };
  for (const deposit of fresh) {
    const outcome = await move(deposit);
    if (outcome === 'node_trouble') return;
    // Largest first: if one is not worth its fee, none after it is.
    if (outcome === 'not_worth_it') break;
  }
  for (const deposit of again) if ((await move(deposit)) === 'node_trouble') return;
}

type Outcome = 'moved' | 'not_worth_it' | 'failed' | 'node_trouble';

/** The deposits of one round: without recent failures, and retries whose backoff has elapsed. */
async function chooseDeposits(
  db: Db,
  chain: ChainId,
  { upTo, memory }: { readonly upTo: SettledUpTo; readonly memory: SweepBackoff },
): Promise<{ fresh: Deposit[]; again: Deposit[] }> {
  const { deposits } = memory;
  const rested = deposits.retriable().slice(0, ROUND_SIZE);
  const existing = rested.length === 0 ? [] : await settledDeposits(db, chain, upTo, { only: rested });
  const byAddress = new Map(existing.map((deposit) => [deposit.address, deposit]));
  const again = rested.flatMap((address) => byAddress.get(address) ?? []);
  // Forgets deposits that are gone because another transaction moved them.
  for (const address of rested) if (!byAddress.has(address)) deposits.recordSuccess(address);
  const others = await settledDeposits(db, chain, upTo, { except: deposits.all() });
  const fresh = others.slice(0, ROUND_SIZE - Math.min(again.length, ROUND_RETRIES));
  return { fresh, again: again.slice(0, ROUND_SIZE - fresh.length) };
}

type Using = { readonly adapter: ChainAdapter; readonly deposit: Deposit };

/**
 * Signs and broadcasts one sweep. False when it is not worth its fee.
 * @throws {ChainError} when the node reports no fee; {InsufficientFunds} when the deposit is gone.
 */
async function sweep(deps: SweepDepositsDeps, chain: ChainId, using: Using): Promise<boolean> {
  const { adapter, deposit } = using;
  const { merchantId, account, address: from, amount } = deposit;
  const destination = deps.deriver.address({ ...chain, account, branch: 0, index: 0 });
  const order: SendOrder = { ...chain, merchantId, account, destination, amount, subtractFee: true };
  const quote = await adapter.feeQuote({ from, destination, amount });
  return createSweep(deps, {
    adapter,
    merchantId,
    plan: async (tx) => {
      const maxFee = sweepBudget(amount, deps.policy);
      const plan = await planSweep(tx, order, { adapter, from, quote });
      return plan === null || plan.fee > maxFee ? null : { order, plan, maxFee };
    },
    log: ({ id, txid }) =>
      deps.logger.info({ ...chain, sweepId: id, txid, from }, 'sweeping a deposit to the merchant address'),
  });
}

/** Null when the deposit is below its fee. @throws {InsufficientFunds} when the deposit is gone. */
async function planSweep(
  tx: Tx,
  order: SendOrder,
  using: { readonly adapter: ChainAdapter; readonly from: string; readonly quote: FeeQuote },
): Promise<SendPlan | null> {
  const { adapter, from, quote } = using;
  const { destination, amount } = order;
  const nonceSequence = await loadNonceSequence(tx, {
    ...order,
    address: from,
    fromNonce: quote.account?.nonce ?? 0,
  });
  const funds = await spendableFunds(tx, { ...order, from });
  const request = {
    funds,
    destination,
    amount,
    subtractFee: true,
    changeAddress: from,
    quote,
    nonceSequence,
  };
  try {
    return adapter.planSend(request);
  } catch (error) {
    if (error instanceof UnsendableAmount) return null;
    throw error;
  }
}
