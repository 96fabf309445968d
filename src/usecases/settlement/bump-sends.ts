import { inputCostAt, type ChainAdapter, type FeeQuote, type PlanSigner } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { AddressDeriver } from '../../domain/keys.ts';
import { awaitsBlock } from '../../domain/send/machine.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { noteFeeLevel } from '../../store/ledger/fee-levels.ts';
import { findSend, stuckSends, type SendPlace, type StoredSend } from '../../store/sends/sends.ts';
import { versionsOf } from '../../store/sends/send-versions.ts';
import type { AdvanceSendsDeps } from './advance-sends.ts';
import { limitOfLast, mayReachMinimum } from '../sends/fee-limits.ts';
import { broadcastSend } from './broadcast-send.ts';
import { paidRate, planRaise, rateWithin } from './plan-raise.ts';
import { storeChild } from './raise-by-child.ts';
import { recordAnswer } from './record-answer.ts';
import { chainOf, lastOfChain } from './send-chain.ts';
import { isWorthRaising } from '../../domain/send/policy.ts';
import { readPlan } from './stored-plan.ts';
import { storeVersion, type NewVersion } from './store-version.ts';

export interface BumpSendsDeps extends AdvanceSendsDeps {
  readonly deriver: AddressDeriver;
  readonly sign: PlanSigner;
}

/** Sends examined in one round. */
const ROUND_SIZE = 100;
/** Maximum number of raises per round: each waits for the node. */
const ROUND_RAISES = 20;

/**
 * Raises the fee of sends that have long been unconfirmed while the node's fee rate is clearly above theirs, and
 * without delay that of sends below the network's minimum rate. The replacement pays the same amount to the same
 * destination, is stored before the node sees it, and any version may be the one that confirms. Where another send
 * spends the change of a stuck one, that other one is raised and pays for both (CPFP).
 * @param after where the previous round ended, so that sends which cannot be raised do not starve the others
 * @returns where the next round continues; null: at the oldest
 * @throws {ChainError} when the node reports no fee rate.
 */
export async function bumpSends(
  deps: BumpSendsDeps,
  chain: ChainId,
  after: SendPlace | null = null,
): Promise<SendPlace | null> {
  const adapter = deps.chains.get(chain.coin, chain.mode);
  if (adapter === null || !deps.policy.raisesFees) return null;
  const now = deps.clock.now();
  const signedBefore = now - deps.policy.bumpUnderpaidAfterMs;
  const stuck = await stuckSends(deps.db, chain, { signedBefore, now, after }, ROUND_SIZE);
  if (stuck.length === 0) return null;
  const quote = await adapter.feeQuote();
  await noteFeeLevel(deps.db, chain, { ...quote, inputCost: inputCostAt(adapter, quote) });
  let raised = 0;
  for (const send of stuck) {
    try {
      if (await bumpSend(deps, send, { adapter, quote })) raised += 1;
    } catch (error) {
      deps.logger.error({ sendId: send.id, err: error }, 'could not raise the fee of a send; trying again');
    }
    if (raised >= ROUND_RAISES) return send;
  }
  return stuck.length < ROUND_SIZE ? null : (stuck.at(-1) ?? null);
}

type Using = { readonly adapter: ChainAdapter; readonly quote: FeeQuote };

/** Whether a raise had an effect and could be paid for. */
async function bumpSend(deps: BumpSendsDeps, stuck: StoredSend, using: Using): Promise<boolean> {
  const last = await lastOfChain(deps.db, stuck);
  const done = await deps.inHand.take(last.id, async () =>
    deps.inHand.begin(async (childId) => {
      const stored = await deps.db.transaction(async (tx) =>
        storeBump(tx, deps, { childId, sendId: last.id, stuckId: stuck.id }, using),
      );
      if (stored === null) return false;
      const { sendId, version, transaction } = stored;
      deps.logger.info(
        { sendId: stuck.id, by: sendId, version, txid: transaction.txid },
        'raising the fee of a stuck send',
      );
      await offerNew(deps, using.adapter, stored);
      return true;
    }),
  );
  return done === true;
}

/** Broadcasts a version that was just stored, and records the answer. */
export async function offerNew(
  deps: BumpSendsDeps,
  adapter: ChainAdapter,
  { sendId, version, transaction, plan }: NewVersion,
): Promise<StoredSend> {
  const result = await broadcastSend(deps.db, adapter, transaction, plan.inputs);
  const send = await deps.db.transaction(async (tx) =>
    recordAnswer(tx, deps, { sendId, version, result, neverOffered: true }),
  );
  deps.wakeWebhooks();
  return send;
}

/** Null when there is nothing to gain, or no funds to pay for it. */
async function storeBump(
  tx: Tx,
  deps: BumpSendsDeps,
  { childId, sendId, stuckId }: { childId: string; sendId: string; stuckId: string },
  { adapter, quote }: Using,
): Promise<NewVersion | null> {
  const send = await findSend(tx, sendId);
  const stuck = await findSend(tx, stuckId);
  if (send === undefined || stuck === undefined || !awaitsBlock(send)) return null;
  const chain = await chainOf(tx, stuck);
  if (chain.at(-1)?.id !== sendId) return null;
  const versions = await versionsOf(tx, sendId);
  const newest = versions.at(-1);
  if (newest === undefined || newest.version >= deps.policy.maxVersions) return null;
  const current = versions.find(({ version }) => version === send.version) ?? newest;
  const paid = await paidRate(tx, send, newest);
  // Compares with the version that the network knows, not with one it refused.
  const known = current === newest ? paid : await paidRate(tx, send, current);
  const ageMs = deps.clock.now() - newest.created_at;
  if (!isWorthRaising(deps.policy, { coin: send.coin, ageMs, paid: known }, quote)) return null;
  const limit = limitOfLast(chain, deps.policy);
  // The node did not take the last replacement.
  if (newest.version > send.version) {
    const child = await storeChild(tx, deps, {
      childId,
      send,
      adapter,
      quote,
      limit: limit - BigInt(send.fee),
    });
    if (child !== null) return { ...child, sendId: childId, version: child.send.version };
  }
  const rates = [quote.rate, rateWithin(limit, readPlan(newest.plan_json)), quote.minimum ?? 0n];
  const planned = await planRaise(tx, deps, {
    send,
    newest,
    adapter,
    quote,
    rates: rates.filter((rate) => rate > paid && rate <= quote.rate),
    limit,
    mayReachMinimum: mayReachMinimum(chain),
    takeBack: false,
  });
  if (planned === null || 'over' in planned) return null;
  return storeVersion(tx, deps, { send, newest, adapter, plan: planned.plan, cancels: newest.cancels === 1 });
}
