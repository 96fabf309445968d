import { inputCostAt, type ChainAdapter, type FeeQuote, type PlanSigner } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import type { AddressDeriver } from '../../../domain/keys.ts';
import { awaitsBlock } from '../../../domain/send/send-status.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { recordFeeLevel } from '../../../store/ledger/fee-levels.ts';
import { feeLimit } from '../../../store/sends/fee-budgets.ts';
import { findSend, updateSend, type StoredSend } from '../../../store/sends/sends.ts';
import { stuckSends, type SendPlace } from '../../../store/sends/open-sends.ts';
import { listVersions, type StoredSendVersion } from '../../../store/sends/send-versions.ts';
import type { AdvanceSendsDeps } from './advance-sends.ts';
import { broadcastWithAncestors } from './broadcast-with-ancestors.ts';
import { paidRate, planFeeBump } from './plan-fee-bump.ts';
import { storeCpfpChild } from './bump-by-cpfp.ts';
import { recordBroadcastResult } from './record-broadcast-result.ts';
import { findSendChain, lastOfChain } from './send-chain.ts';
import { rateWithin } from '../../../domain/send/fee-budget.ts';
import { isTooLow, shouldBumpFee } from '../../../domain/send/policy.ts';
import { readPlan } from './stored-plan.ts';
import { storeVersion, type NewVersion } from './store-version.ts';

export interface BumpSendsDeps extends AdvanceSendsDeps {
  readonly deriver: AddressDeriver;
  readonly sign: PlanSigner;
}

/** Sends examined in one round. */
const ROUND_SIZE = 100;
/** Maximum number of fee bumps per round: each waits for the node. */
const ROUND_BUMPS = 20;

/**
 * Bumps the fee of sends that have long been unconfirmed while the node's fee rate is clearly above theirs,
 * and without delay that of sends below the network's minimum rate. The replacement (RBF) pays the same
 * amount to the same destination, is stored before the node sees it, and any version may be the one that
 * confirms. Where another send spends the change of a stuck one, that other one is bumped and pays for both
 * (CPFP).
 * @param after end of the previous round, so that sends which cannot be bumped do not starve the others
 * @returns where the next round continues; null: at the oldest
 * @throws {ChainError} when the node reports no fee rate.
 */
export async function bumpSends(
  deps: BumpSendsDeps,
  chain: ChainId,
  after: SendPlace | null = null,
): Promise<SendPlace | null> {
  const adapter = deps.chains.get(chain.coin, chain.mode);
  if (adapter === null || !deps.policy.bumpsFees) return null;
  const now = deps.clock.now();
  const signedBefore = now - deps.policy.bumpUnderpaidAfterMs;
  const stuck = await stuckSends(deps.db, chain, { signedBefore, now, after }, ROUND_SIZE);
  if (stuck.length === 0) return null;
  const quote = await adapter.feeQuote();
  await recordFeeLevel(deps.db, chain, { ...quote, inputCost: inputCostAt(adapter, quote) });
  let bumped = 0;
  for (const send of stuck) {
    try {
      if (await bumpStuckSend(deps, send, { adapter, quote })) bumped += 1;
    } catch (error) {
      deps.logger.error({ sendId: send.id, err: error }, 'fee bump of a stuck send failed; will retry');
    }
    if (bumped >= ROUND_BUMPS) return send;
  }
  return stuck.length < ROUND_SIZE ? null : (stuck.at(-1) ?? null);
}

type Using = { readonly adapter: ChainAdapter; readonly quote: FeeQuote };

/** Whether a fee bump had an effect and could be paid for. */
async function bumpStuckSend(deps: BumpSendsDeps, stuck: StoredSend, using: Using): Promise<boolean> {
  const last = await lastOfChain(deps.db, stuck);
  const done = await deps.inFlight.take(last.id, async () =>
    deps.inFlight.begin(async (childId) => {
      const stored = await deps.db.transaction(async (tx) =>
        storeBump(tx, deps, { childId, sendId: last.id, stuckId: stuck.id }, using),
      );
      if (stored === null) return false;
      const { sendId, version, transaction } = stored;
      deps.logger.info(
        { sendId: stuck.id, by: sendId, version, txid: transaction.txid },
        'fee of a stuck send bumped',
      );
      await broadcastReplacement(deps, using.adapter, stored);
      return true;
    }),
  );
  return done === true;
}

/**
 * Broadcasts a version that was just stored, and records the answer.
 * @param isSignedElsewhere its signer has the bytes as well: where an input is missing, another node may have them, or
 * they are valid again after a reorg
 */
export async function broadcastReplacement(
  deps: BumpSendsDeps,
  adapter: ChainAdapter,
  { sendId, version, transaction, plan }: NewVersion,
  isSignedElsewhere = false,
): Promise<StoredSend> {
  const result = await broadcastWithAncestors(deps.db, adapter, transaction, plan.inputs);
  const mayConfirm = isSignedElsewhere && result.kind === 'rejected' && result.isSpent === true;
  const send = await deps.db.transaction(async (tx) =>
    recordBroadcastResult(tx, deps, { sendId, version, result, neverOffered: !mayConfirm }),
  );
  deps.wakeWebhooks();
  return send;
}

/** Null when a bump gains nothing, or lacks funds or budget: then it waits, and reports so. */
async function storeBump(
  tx: Tx,
  deps: BumpSendsDeps,
  { childId, sendId, stuckId }: { childId: string; sendId: string; stuckId: string },
  { adapter, quote }: Using,
): Promise<NewVersion | null> {
  const send = await findSend(tx, sendId);
  const stuck = await findSend(tx, stuckId);
  if (send === undefined || stuck === undefined || !awaitsBlock(send)) return null;
  const chain = await findSendChain(tx, stuck);
  if (chain.at(-1)?.id !== sendId) return null;
  const versions = await listVersions(tx, sendId);
  const newest = versions.at(-1);
  if (newest === undefined) return null;
  const current = versions.find(({ version }) => version === send.version) ?? newest;
  const paid = await paidRate(tx, send, newest);
  // Compares with the version that the network knows, not with one it refused.
  const known = current === newest ? paid : await paidRate(tx, send, current);
  const ageMs = deps.clock.now() - newest.createdAt;
  const waiting = stuckId === sendId ? [send] : [stuck, send];
  if (!isTooLow(deps.policy, known, quote)) {
    for (const each of waiting) await noteLimit(tx, deps, each, NO_LIMIT);
    return null;
  }
  const isDue = shouldBumpFee(deps.policy, { coin: send.coin, ageMs, paid: known }, quote);
  if (!isDue || newest.version >= deps.policy.maxVersions) return null;
  const bump = await bumpWithinBudget(tx, deps, { childId, send, newest, stuck, adapter, quote, paid });
  for (const each of waiting) await noteLimit(tx, deps, each, bump);
  return bump.version;
}

interface FeeBump {
  readonly version: NewVersion | null;
  /** The fee that the budget forbids, atoms; null: the budget suffices. */
  readonly over: bigint | null;
}

const NO_LIMIT: FeeBump = { version: null, over: null };

/** Bumps the last send of a chain within its own budget, else by a child within that of the stuck one. */
async function bumpWithinBudget(
  tx: Tx,
  deps: BumpSendsDeps,
  bump: Using & {
    readonly childId: string;
    readonly send: StoredSend;
    readonly newest: StoredSendVersion;
    readonly stuck: StoredSend;
    readonly paid: bigint;
  },
): Promise<FeeBump> {
  const { childId, send, newest, stuck, adapter, quote, paid } = bump;
  const byChild = async (payer: StoredSend) =>
    storeCpfpChild(tx, deps, { childId, send, adapter, quote, payer });
  // The node did not accept the last replacement.
  if (newest.version > send.version) {
    const child = await byChild(send);
    if (child !== null && 'plan' in child) return { version: child, over: null };
  }
  const rates = [
    quote.rate,
    rateWithin(await feeLimit(tx, send), readPlan(newest.planJson)),
    quote.minimum ?? 0n,
  ];
  const { plan, over } = await planFeeBump(tx, deps, {
    send,
    newest,
    adapter,
    quote,
    rates: rates.filter((rate) => rate > paid && rate <= quote.rate),
    takeBack: false,
  });
  if (plan !== null) {
    const cancels = newest.cancels;
    return { version: await storeVersion(tx, deps, { send, newest, adapter, plan, cancels }), over };
  }
  if (over === null || stuck.id === send.id) return { version: null, over };
  const child = await byChild(stuck);
  return child !== null && 'plan' in child ? { version: child, over: null } : { version: null, over };
}

/**
 * Records whether the budget allows less than the best rate: then a fee bump waits, or was stored at the rate that the
 * budget allows. Logs it once.
 */
async function noteLimit(
  tx: Tx,
  { clock, logger }: BumpSendsDeps,
  send: StoredSend,
  { version, over }: FeeBump,
): Promise<void> {
  if ((over === null) === (send.feeLimitedAt === null)) return;
  const now = clock.now();
  await updateSend(tx, send.id, { feeLimitedAt: over === null ? null : now }, now);
  if (over === null) return;
  const { id: sendId, coin, mode, maxFee } = send;
  logger.warn(
    { sendId, coin, mode, maxFee, fee: over.toString() },
    version === null
      ? 'fee budget (maxFee) is below the fee at the best rate; fee bump waits until fees fall or maxFee is raised'
      : 'fee budget (maxFee) is below the fee at the best rate; fee bumped as far as the budget allows',
  );
}
