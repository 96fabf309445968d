import { OUTPUTS_PER_CONSOLIDATION } from '../../../domain/accounts.ts';
import type { Creator } from '../../../domain/actor.ts';
import {
  inputCostAt,
  ChainError,
  nodeFault,
  InsufficientFunds,
  UnsendableAmount,
  type ChainAdapter,
  type FeeQuote,
  type SendPlan,
} from '../../../domain/chain.ts';
import { isUtxoCoin, UTXO_CODES, type ChainId, type Coin, type Mode } from '../../../domain/coins.ts';
import { AppError, invalidField } from '../../../domain/errors.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { consolidationBudget } from '../../../domain/send/fee-budget.ts';
import { requireUnfrozen } from '../../../store/sends/wallet-freezes.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { spendableFunds } from '../../../store/ledger/spendable.ts';
import { nextChangeAddress, reserveChangeAddress } from '../../addresses/index.ts';
import { broadcastReplacement, type BumpSendsDeps } from '../lifecycle/bump-sends.ts';
import { atRate, readFeeRate, readMaxFee } from '../send/fee-terms.ts';
import { tryEnsureRates } from '../send/ensure-rates.ts';
import type { SendOrder, WalletOwner } from '../send/send-order.ts';
import { storeSend } from '../send/store-send.ts';
import type { NewVersion } from '../lifecycle/store-version.ts';

export interface ConsolidateInput {
  readonly merchant: WalletOwner;
  /** Who orders it; absent: the daemon. */
  readonly creator?: Creator | null;
  readonly coin: Coin;
  readonly feeRate?: string | undefined;
  readonly maxFee?: string | undefined;
}

export interface Consolidation {
  readonly sendId: string;
  readonly txHash: string;
  /** Number of outputs that were merged. */
  readonly outputs: number;
  readonly amount: string;
  readonly fee: string;
  /** Its fee budget, which fee bumps never exceed. */
  readonly maxFee: string;
}

/** Fewer outputs are not worth a transaction. */
const LEAST_OUTPUTS = 2;

/**
 * Consolidates outputs into one, largest first, at most OUTPUTS_PER_CONSOLIDATION: the result can be spent at
 * once.
 * @throws {AppError} VALIDATION_INVALID where money is not held in outputs, INSUFFICIENT_BALANCE,
 * FEE_ABOVE_LIMIT, COIN_UNAVAILABLE, NODE_UNAVAILABLE, WALLET_FROZEN
 */
export async function consolidate(deps: BumpSendsDeps, input: ConsolidateInput): Promise<Consolidation> {
  const { merchant, coin } = input;
  if (!isUtxoCoin(coin)) throw invalidField('coin', `is not held in outputs: use ${UTXO_CODES.join(' or ')}`);
  const mode: Mode = merchant.sandbox ? 'sandbox' : 'live';
  const adapter = deps.chains.get(coin, mode);
  if (adapter === null) throw new AppError('COIN_UNAVAILABLE', `${coin} is not configured in ${mode} mode`);
  const maxFee = readMaxFee(input.maxFee, coin);
  await requireUnfrozen(deps.db, merchant.id);
  const quote = await ask(adapter, readFeeRate(input.feeRate, coin));
  const { consolidateBelowRate } = deps.policy;
  const { creator = null } = input;
  const wallet = { coin, mode, merchantId: merchant.id, account: merchant.account, creator };
  const made = await gatherOutputs(deps, {
    wallet,
    adapter,
    quote,
    least: LEAST_OUTPUTS,
    most: OUTPUTS_PER_CONSOLIDATION,
    maxFee,
    // An order with a rate counts as cheap enough at that rate.
    startsBelow: quote.rate > consolidateBelowRate ? quote.rate : consolidateBelowRate,
  });
  if (made === null) {
    throw new AppError(
      'INSUFFICIENT_BALANCE',
      'fewer than two outputs are worth more than they cost to spend',
    );
  }
  const { plan, transaction, sendId } = made;
  return {
    sendId,
    txHash: transaction.txid,
    outputs: plan.inputs.length,
    amount: formatCoinAmount(plan.amount, coin),
    fee: formatCoinAmount(plan.fee, coin),
    maxFee: formatCoinAmount(made.maxFee, coin),
  };
}

async function ask(adapter: ChainAdapter, rate: bigint | null): Promise<FeeQuote> {
  try {
    return atRate(await adapter.feeQuote(), rate, adapter.coin);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new AppError('NODE_UNAVAILABLE', nodeFault(adapter.coin, error), { cause: error });
  }
}

export interface Gathering {
  readonly wallet: ChainId &
    Pick<SendOrder, 'creator'> & { readonly merchantId: string; readonly account: number };
  readonly adapter: ChainAdapter;
  readonly quote: FeeQuote;
  /** Minimum and maximum number of inputs. */
  readonly least: number;
  readonly most: number;
  /** The ordered fee budget, atoms; null: derived from the rate at which it starts. */
  readonly maxFee: bigint | null;
  /** The highest rate at which it starts, atoms per 1,000 units. */
  readonly startsBelow: bigint;
}

interface Gathered extends NewVersion {
  readonly maxFee: bigint;
}

/**
 * Signs, stores and broadcasts a transaction from the wallet to itself. Null when too few outputs are worth
 * it.
 * @throws {AppError} FEE_ABOVE_LIMIT
 */
export async function gatherOutputs(deps: BumpSendsDeps, gathering: Gathering): Promise<Gathered | null> {
  const { merchantId, creator = null } = gathering.wallet;
  await tryEnsureRates(deps, { merchantId, creator });
  return deps.inFlight.begin(async (sendId) => {
    const stored = await deps.db.transaction(async (tx) => storeGathering(tx, deps, sendId, gathering));
    if (stored === null) return null;
    const { transaction, plan } = stored;
    const { coin, mode } = gathering.wallet;
    deps.logger.info(
      { coin, mode, sendId, txid: transaction.txid, outputs: plan.inputs.length },
      'consolidating outputs of the wallet',
    );
    await broadcastReplacement(deps, gathering.adapter, stored);
    return stored;
  });
}

async function storeGathering(
  tx: Tx,
  deps: BumpSendsDeps,
  sendId: string,
  gathering: Gathering,
): Promise<Gathered | null> {
  const { wallet, adapter, quote, least, most, startsBelow } = gathering;
  const cost = inputCostAt(adapter, quote);
  const funds = (await spendableFunds(tx, wallet)).filter(({ amount }) => amount > cost).slice(0, most);
  if (funds.length < least) return null;
  const address = await nextChangeAddress(tx, deps, wallet);
  const amount = funds.reduce((sum, fund) => sum + fund.amount, 0n);
  const order = { ...wallet, destination: address, amount, subtractFee: true };
  const plan = planOrNull(() => adapter.planSend({ ...order, funds, changeAddress: address, quote }));
  if (plan === null) return null;
  const budget = { moved: amount, startsBelow, policy: deps.policy };
  const maxFee = gathering.maxFee ?? consolidationBudget(plan, budget);
  await reserveChangeAddress(tx, deps, { wallet, adapter, address });
  const purpose = 'sweep';
  const { send, transaction } = await storeSend(tx, deps, {
    sendId,
    order,
    adapter,
    plan,
    purpose,
    idempotencyKey: null,
    maxFee,
  });
  return { sendId, version: send.version, transaction, plan, maxFee: BigInt(send.maxFee) };
}

function planOrNull(plan: () => SendPlan): SendPlan | null {
  try {
    return plan();
  } catch (error) {
    if (error instanceof InsufficientFunds || error instanceof UnsendableAmount) return null;
    throw error;
  }
}
