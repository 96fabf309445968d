import { AppError, type ErrorCode } from '../../domain/errors.ts';
import {
  amountWithin,
  decideForward,
  forwardAt,
  forwardBudget,
  type ForwardFacts,
  type ForwardProblem,
  type ForwardRule,
  leavingEnough,
} from '../../domain/send/forward.ts';
import { describeReasons } from '../../domain/send/spending-limits.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { findLimitRoom } from '../../store/sends/limit-room.ts';
import type { StoredSend } from '../../store/sends/sends.ts';
import {
  countFailedForwards,
  findForwardById,
  forwardsToRun,
  putForward,
} from '../../store/sends/wallet-forwards.ts';
import { findFreezes, frozenMessage } from '../../store/sends/wallet-freezes.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import {
  chainFor,
  ensureRates,
  type RetryBackoff,
  sendOrHold,
  type SendOrder,
  type SendRequest,
} from '../wallet/index.ts';
import { nextAddress, type NextAddress, useIndex } from './forward-destination.ts';
import type { ForwardDeps } from './forward-deps.ts';
import { ensureLinkRates, readFunds, sumPromised } from './forward-facts.ts';
import { auditForward } from './record-forward.ts';
import { GAP_LIMIT } from './view-forward.ts';

export interface RunForwardsDeps extends ForwardDeps {
  /** By id of the rule; the same in every round. */
  readonly forwardBackoff: RetryBackoff;
}

/**
 * One round over the rules whose interval is over: each whose wallet holds enough makes one send, like any other.
 * Counter, address and send are stored in one transaction, so that no crash makes a forward twice. A forward that
 * cannot be made now records its problem and is tried again.
 */
export async function runForwards(deps: RunForwardsDeps, signal: AbortSignal): Promise<void> {
  const due = await forwardsToRun(deps.db, deps.clock.now());
  const chains = Map.groupBy(due, ({ coin, mode }) => `${coin}/${mode}`);
  // A slow node must not delay the other chains.
  await Promise.all(
    [...chains.values()].map(async (rules) => {
      for (const rule of rules) {
        if (signal.aborted) return;
        if (deps.forwardBackoff.isResting(rule.id)) continue;
        if ((await runForward(deps, rule)) === 'node-failed') return;
      }
    }),
  );
}

async function runForward(deps: RunForwardsDeps, rule: ForwardRule): Promise<'tried' | 'node-failed'> {
  try {
    const now = deps.clock.now();
    const funds = await readFunds(deps.db, deps, rule);
    // Most rules wait: nothing else is read for them.
    if (decideForward(forwardAt(rule, now), { ...funds, promised: 0n }, now).wait !== null) return 'tried';
    await ensureLinkRates(deps.db, deps, rule);
    await ensureRates(deps, { merchantId: rule.merchantId, creator: null });
    const { send } = await sendOrHold(deps, toRequest(deps, rule));
    deps.forwardBackoff.recordSuccess(rule.id);
    if (send !== null) {
      const { id: sendId, coin, mode, amount, fee } = send;
      deps.logger.info({ sendId, coin, mode, amount, fee }, 'forwarded to cold storage');
    }
    return 'tried';
  } catch (error) {
    if (error instanceof ForwardNotDue) return 'tried';
    return recordProblem(deps, rule, error);
  }
}

/** It waits, which is no problem. */
class ForwardNotDue extends Error {
  override name = 'ForwardNotDue';
}

/** A problem that no error of the API states. */
class ForwardRefused extends Error {
  override name = 'ForwardRefused';
  readonly problem: ForwardProblem;

  constructor(problem: ForwardProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

function toRequest(deps: RunForwardsDeps, { id, merchantId, runs }: ForwardRule): SendRequest {
  let next: NextAddress | null = null;
  return {
    merchantId,
    creator: null,
    idempotencyKey: null,
    hold: null,
    repeated: async (_db, earlier) => earlier,
    order: async (db) => {
      const planned = await planForward(db, deps, { id, runs });
      next = planned.next;
      return planned.order;
    },
    stored: async (tx, send) => {
      if (next === null) throw new Error('the forward was not planned');
      await storeForward(tx, deps, { id, next, send });
    },
  };
}

/**
 * The send of a rule. Inside a transaction the result stays valid until its end, which prevents that a forward is made
 * twice, or spends funds that were reserved meanwhile.
 * @throws {ForwardNotDue} {ForwardRefused} {AppError} RATE_UNAVAILABLE
 */
async function planForward(
  db: Db,
  deps: RunForwardsDeps,
  { id, runs }: Pick<ForwardRule, 'id' | 'runs'>,
): Promise<{ readonly order: SendOrder; readonly next: NextAddress }> {
  const stored = await findForwardById(db, id);
  // Its terms may have changed, or another round made it.
  if (stored === undefined || stored.runs !== runs) throw new ForwardNotDue();
  const now = deps.clock.now();
  const rule = forwardAt(stored, now);
  const { coin, mode, merchantId, destination } = rule;
  const merchant = await findMerchant(db, merchantId);
  if (merchant === undefined) throw new Error(`merchant ${merchantId} does not exist`);
  const facts = { ...(await readFunds(db, deps, rule)), promised: await sumPromised(db, deps, rule) };
  const { amount } = decideForward(rule, facts, now);
  if (amount === null || destination === null) throw new ForwardNotDue();
  const [freeze] = await findFreezes(db, merchantId);
  if (freeze !== undefined) throw new ForwardRefused('frozen', frozenMessage(freeze));
  if (merchant.suspendedAt !== null)
    throw new ForwardRefused('suspended', 'the shop is suspended until its owner has confirmed its keys');
  if ((await countFailedForwards(db, rule, GAP_LIMIT)) >= GAP_LIMIT)
    throw new ForwardRefused('gap_limit', `the last ${GAP_LIMIT} forwards failed: set the destination again`);
  const next = await nextAddress(db, deps, rule, destination);
  const most = await withinLimits(db, deps, { rule, next, amount, facts });
  const order = {
    coin,
    mode,
    merchantId,
    account: merchant.account,
    destination: next.address,
    amount: most,
    subtractFee: true,
    maxFee: forwardBudget(most, deps.policy),
    reason: 'forward' as const,
  };
  return { order, next };
}

/** The amount, or the part of it that the limits leave: no approval could let the rest go. @throws {ForwardRefused} */
async function withinLimits(
  db: Db,
  deps: RunForwardsDeps,
  of: {
    readonly rule: ForwardRule;
    readonly next: NextAddress;
    readonly amount: bigint;
    readonly facts: ForwardFacts;
  },
): Promise<bigint> {
  const { rule, next, amount, facts } = of;
  const { coin, mode } = rule;
  const { policy, rates } = deps;
  const adapter = chainFor(deps.chains, { coin, mode, destination: next.address });
  const room = await findLimitRoom(db, rule, {
    watchKeys: [adapter.watchKey(next.address)],
    rates,
    feeShareBps: policy.maxFeeShareBps,
    provenDepth: policy.surplusDepth,
    now: deps.clock.now(),
  });
  if (room.atoms === null) return amount;
  const within = amountWithin(room.atoms, policy);
  if (within >= amount) return amount;
  const most = leavingEnough(within, facts);
  if (most > 0n && most >= rule.threshold) return most;
  const code = room.reason === 'rate_unknown' ? 'rate_unavailable' : 'above_limit';
  throw new ForwardRefused(code, `a forward would need an approval: ${describeReasons([room.reason])}`);
}

async function storeForward(
  tx: Tx,
  deps: RunForwardsDeps,
  { id, next, send }: { readonly id: string; readonly next: NextAddress; readonly send: StoredSend },
): Promise<void> {
  const stored = await findForwardById(tx, id);
  if (stored === undefined) throw new Error(`forward ${id} does not exist`);
  const now = deps.clock.now();
  const rule = forwardAt(stored, now);
  if (next.index !== null) {
    if (rule.destination === null) throw new Error(`forward ${id} has no destination`);
    await useIndex(tx, deps, rule, { destination: rule.destination, index: next.index });
  }
  await putForward(tx, {
    ...rule,
    runs: rule.runs + 1,
    lastRunAt: now,
    lastSendId: send.id,
    problem: null,
    updatedAt: now,
  });
  if (rule.destination !== stored.destination)
    await auditForward(tx, deps, rule, {
      action: 'forward destination took effect',
      objectId: id,
      result: 'OK',
    });
  await auditForward(tx, deps, rule, { action: 'forward made', objectId: send.id, result: 'OK' });
}

const PROBLEMS: Readonly<Partial<Record<ErrorCode, ForwardProblem>>> = {
  WALLET_FROZEN: 'frozen',
  APPROVAL_REQUIRED: 'above_limit',
  FEE_ABOVE_LIMIT: 'fee_above_share',
  RATE_UNAVAILABLE: 'rate_unavailable',
  NODE_UNAVAILABLE: 'node_unavailable',
  COIN_UNAVAILABLE: 'node_unavailable',
  INSUFFICIENT_BALANCE: 'unsendable',
  VALIDATION_INVALID: 'unsendable',
  SEND_REJECTED: 'rejected',
};

async function recordProblem(
  deps: RunForwardsDeps,
  rule: ForwardRule,
  error: unknown,
): Promise<'tried' | 'node-failed'> {
  const { code, message } = describeProblem(error);
  const isNodes = code === 'node_unavailable';
  const { id, coin, mode, merchantId } = rule;
  if (deps.forwardBackoff.recordFailure(id, code, isNodes ? 'node' : 'own')) {
    const fields = { forwardId: id, merchantId, coin, mode, problem: code };
    if (code === 'failed')
      deps.logger.error({ ...fields, err: error }, 'forward to cold storage failed; will retry');
    else
      deps.logger.warn(
        { ...fields, reason: message },
        'forward to cold storage is not possible now; will retry',
      );
  }
  await storeProblem(deps, id, { code, message });
  return isNodes ? 'node-failed' : 'tried';
}

function describeProblem(error: unknown): NonNullable<ForwardRule['problem']> {
  if (error instanceof ForwardRefused) return { code: error.problem, message: error.message };
  const code = error instanceof AppError ? PROBLEMS[error.code] : undefined;
  if (code === undefined || !(error instanceof AppError))
    return { code: 'failed', message: 'internal error: see the log' };
  return { code, message: error.message };
}

/** Problems that end without an action of a person, and may come and go often. */
const NOT_AUDITED: ReadonlySet<ForwardProblem> = new Set(['node_unavailable', 'rate_unavailable']);

async function storeProblem(
  deps: RunForwardsDeps,
  id: string,
  problem: NonNullable<ForwardRule['problem']>,
): Promise<void> {
  try {
    await deps.db.transaction(async (tx) => {
      const rule = await findForwardById(tx, id);
      if (rule === undefined || !rule.isActive) return;
      const { code, message } = problem;
      if (rule.problem?.code === code && rule.problem.message === message) return;
      await putForward(tx, { ...rule, problem });
      if (rule.problem?.code === code || NOT_AUDITED.has(code)) return;
      await auditForward(tx, deps, rule, { action: 'forward not made', objectId: id, result: code });
    });
  } catch (error) {
    deps.logger.error(
      { forwardId: id, err: error },
      'recording why nothing was forwarded failed; will retry',
    );
  }
}
