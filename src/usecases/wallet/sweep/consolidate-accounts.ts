import { accountsPerSend } from '../../../domain/accounts.ts';
import {
  InsufficientFunds,
  UnsendableAmount,
  type ChainAdapter,
  type FeeQuote,
  type Fund,
  type SendPlan,
} from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import { settledHeight } from '../../../domain/confirmations.ts';
import { sweepBudget } from '../../../domain/send/fee-budget.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import { finalHeights, findCursor } from '../../../store/chain/chain-cursors.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { failedSweeps } from '../../../store/sends/open-sends.ts';
import { fragmentedMerchants, spendableAccounts } from '../../../store/ledger/spendable-accounts.ts';
import { createSweep } from './create-sweep.ts';
import type { SendOrder } from '../send/send-order.ts';
import type { SweepDepositsDeps } from './sweep-deposits.ts';
import { recordFailure, recordSuccess, type SweepBackoff } from './sweep-backoff.ts';

/** Merchants served in one round. */
const ROUND_SIZE = 20;
/** Accounts of one merchant examined in one round. */
const MAX_ACCOUNTS = 1_000;
/** Accounts per balance request to the chain. */
const ACCOUNTS_ASKED = 100;
/** How long failures count: each makes the next group smaller and starts it at another account. */
const FAILURES_MS = 24 * 3_600_000;
/** Backoff after a failure, doubled by each further one. */
const REST_MS = 60_000;
const COULD_NOT = 'sweep of deposits to the merchant address failed';

interface FragmentedWallet extends ChainId {
  readonly merchantId: string;
  readonly account: number;
}

/**
 * Gathers deposits where a send draws on whole accounts and only so many fit into one: keeps each merchant's money
 * spendable by one send by moving settled deposits to the merchant's address. The largest accounts stay as they are,
 * so that the amount one send can reach never shrinks. The deposits pay the fee themselves and end at exactly zero;
 * signed bytes are stored before the node sees them.
 * @param memory the same in every round
 */
export async function consolidateAccounts(
  deps: SweepDepositsDeps,
  chain: ChainId,
  memory: SweepBackoff,
): Promise<void> {
  const perSend = accountsPerSend(chain);
  const adapter = deps.chains.get(chain.coin, chain.mode);
  const tip = await findCursor(deps.db, chain);
  if (perSend === null || adapter === null || tip === undefined) return;
  const { base } = deps.confirmations(chain.coin, chain.mode);
  const settled = settledHeight(base, { tip: tip.height, final: await finalHeights(deps.db, chain) });
  const reach = { perSend, settled };
  const most = perSend - 1;
  for (const crowd of await fragmentedMerchants(deps.db, chain, { most, limit: ROUND_SIZE })) {
    const { merchantId } = crowd;
    if (memory.merchants.isResting(merchantId)) continue;
    const attempt = { key: merchantId, kind: memory.merchants, fields: { merchantId }, what: COULD_NOT };
    try {
      const failedBefore = memory.merchants.failures(merchantId);
      const hasAsked = await gather(deps, { ...chain, ...crowd }, { adapter, reach, failedBefore });
      if (hasAsked) recordSuccess(memory, attempt);
    } catch (error) {
      if (recordFailure({ ...deps, memory, chain }, attempt, error)) return;
    }
  }
}

interface DepositGroups {
  /** Accounts that one send can draw on, including the merchant's own. */
  readonly perSend: number;
  /** The newest settled height. */
  readonly settled: number;
}

type Using = { readonly adapter: ChainAdapter; readonly reach: DepositGroups };

/** True when the node was asked. @param using failedBefore: attempts since the last success that signed nothing */
async function gather(
  deps: SweepDepositsDeps,
  crowd: FragmentedWallet,
  { adapter, reach, failedBefore }: Using & { readonly failedBefore: number },
): Promise<boolean> {
  const now = deps.clock.now();
  const refused = await failedSweeps(deps.db, crowd, { since: now - FAILURES_MS, now });
  if (refused.count > 0 && now - refused.lastAt < REST_MS * 2 ** Math.min(refused.count - 1, 10))
    return false;
  const failures = refused.count + failedBefore;
  const { coin, mode, account } = crowd;
  const destination = deps.deriver.address({ coin, mode, account, branch: 0, index: 0 });
  const choose = async (
    db: Db,
    balances?: FeeQuote['balances'],
  ): Promise<SendOrder & { funds: readonly Fund[] }> => {
    const funds = await beyondReach(db, crowd, { ...reach, failures, nodeBalances: balances });
    const amount = funds.reduce((sum, fund) => sum + fund.amount, 0n);
    return { ...crowd, destination, amount, subtractFee: true, funds };
  };
  const firstOrder = await choose(deps.db);
  if (firstOrder.funds.length === 0) return false;
  const quote = await withHeldBeyond(deps.db, crowd, { adapter, reach });
  const { policy } = deps;
  const draft = planGathering(await choose(deps.db, quote.balances), { adapter, quote, policy });
  if (draft === null) return true;
  const measured = (await adapter.wholeAccounts?.measure(draft, quote)) ?? quote;
  await createSweep(deps, {
    adapter,
    merchantId: crowd.merchantId,
    plan: async (tx) => {
      const order = await choose(tx, quote.balances);
      const plan = planGathering(order, { adapter, quote: measured, policy });
      return plan === null ? null : { order, plan, maxFee: sweepBudget(order.amount, policy) };
    },
    log: ({ id, txid }) =>
      deps.logger.info({ coin, mode, sweepId: id, txid }, 'sweep of deposits to the merchant address signed'),
  });
  return true;
}

/** Settled deposits in accounts beyond the number that one send can draw on. */
async function settledBeyond(
  db: Db,
  crowd: FragmentedWallet,
  { perSend, settled }: DepositGroups,
): Promise<Fund[]> {
  const accounts = await spendableAccounts(db, crowd, MAX_ACCOUNTS);
  return accounts
    .filter(({ isWallet }) => !isWallet)
    .slice(perSend - 1)
    .filter(({ height }) => height <= settled)
    .map(({ fund }) => fund);
}

/** A fee quote with the balances that the first of those accounts hold on the chain, where it reports them. */
async function withHeldBeyond(db: Db, crowd: FragmentedWallet, { adapter, reach }: Using): Promise<FeeQuote> {
  const quote = await adapter.feeQuote();
  if (adapter.wholeAccounts === undefined) return quote;
  const accounts = (await settledBeyond(db, crowd, reach)).slice(0, ACCOUNTS_ASKED);
  return { ...quote, balances: await adapter.wholeAccounts.heldNow(accounts.map(({ address }) => address)) };
}

/** As many of those as one transaction takes, leaving out any whose balance on the chain differs from the ledger. */
async function beyondReach(
  db: Db,
  crowd: FragmentedWallet,
  {
    failures,
    nodeBalances,
    ...reach
  }: DepositGroups & { readonly failures: number; readonly nodeBalances: FeeQuote['balances'] },
): Promise<Fund[]> {
  const { perSend } = reach;
  const beyond = (await settledBeyond(db, crowd, reach)).filter(
    ({ address, amount }) => (nodeBalances?.get(address) ?? amount) === amount,
  );
  const start = beyond.length === 0 ? 0 : failures % beyond.length;
  // Smaller groups after failures: one account that cannot be moved must not block all others.
  const size = Math.max(1, Math.floor(perSend / 2 ** Math.min(failures, 10)));
  return [...beyond.slice(start), ...beyond.slice(0, start)].slice(0, size);
}

/** Null when there is nothing to move, or nothing worth its fee. */
function planGathering(
  { funds, destination, amount, subtractFee }: SendOrder & { readonly funds: readonly Fund[] },
  using: { readonly adapter: ChainAdapter; readonly quote: FeeQuote; readonly policy: SendPolicy },
): SendPlan | null {
  const { adapter, quote, policy } = using;
  if (funds.length === 0) return null;
  try {
    const request = { funds, destination, amount, subtractFee, changeAddress: destination, quote };
    const plan = adapter.planSend(request);
    // A fresh address must receive at least the minimum balance of an account.
    const isEnough = plan.amount >= adapter.minimumPayment;
    return isEnough && plan.fee <= sweepBudget(amount, policy) ? plan : null;
  } catch (error) {
    if (error instanceof InsufficientFunds || error instanceof UnsendableAmount) return null;
    throw error;
  }
}
