import { ChainError, nodeFault, type ChainAdapter, type FeeQuote } from '../../../domain/chain.ts';
import { AppError } from '../../../domain/errors.ts';
import { feeAboveLimit, rateWithin } from '../../../domain/send/fee-budget.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { toCreator } from '../../../store/creators.ts';
import { changeBudget, feeLimit } from '../../../store/sends/fee-budgets.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import { listVersions } from '../../../store/sends/send-versions.ts';
import { broadcastReplacement, type BumpSendsDeps } from './bump-sends.ts';
import { atRate, readFeeRate, readMaxFee } from '../send/fee-terms.ts';
import { requireOpenSend, sendBusyError, signedElsewhere } from '../send/open-send.ts';
import { paidRate, planFeeBump } from './plan-fee-bump.ts';
import { storeCpfpChild } from './bump-by-cpfp.ts';
import { findSendChain, lastOfChain } from './send-chain.ts';
import { ensureRates } from '../send/ensure-rates.ts';
import { getSend } from '../send/get-send.ts';
import { countingTerms } from '../send/store-send.ts';
import type { SendView } from '../send/send-view.ts';
import { readPlan } from './stored-plan.ts';
import { storeVersion, type NewVersion } from './store-version.ts';

export interface ReplaceSendInput {
  readonly merchantId: string;
  readonly sendId: string;
  /** Like in SendInput; defaults to the node's current rate. */
  readonly feeRate?: string | undefined;
  /** A new fee budget for this send, in the coin; defaults to its present one. */
  readonly maxFee?: string | undefined;
}

type Using = { readonly adapter: ChainAdapter; readonly quote: FeeQuote };

/**
 * Replaces (RBF) the newest version of an open send by one at a higher fee: the same payment, or with
 * `takeBack` one to the wallet itself. Where another send spends its change, that one is bumped and pays for
 * both (CPFP).
 * @throws {AppError} SEND_NOT_FOUND, INVALID_STATE, FEE_ABOVE_LIMIT, INSUFFICIENT_BALANCE, NODE_UNAVAILABLE,
 * VALIDATION_INVALID
 */
export async function replaceSend(
  deps: BumpSendsDeps,
  input: ReplaceSendInput,
  { takeBack }: { readonly takeBack: boolean },
): Promise<SendView> {
  const send = await requireOpenSend(deps.db, input);
  if (send.byPsbt) throw signedElsewhere();
  const adapter = deps.chains.get(send.coin, send.mode);
  if (adapter === null) throw new AppError('COIN_UNAVAILABLE', `${send.coin} is not configured`);
  if (adapter.expiry !== undefined) {
    throw new AppError(
      'INVALID_STATE',
      `${send.coin} transactions expire within minutes and are re-signed automatically`,
    );
  }
  if (takeBack && send.purpose === 'sweep') throw staysInWallet();
  const last = await lastOfChain(deps.db, send);
  if (takeBack && last.id !== send.id) throw spentOn();
  const quote = await quoteFor(adapter, readFeeRate(input.feeRate, send.coin));
  if (input.maxFee !== undefined)
    await ensureRates(deps, { merchantId: send.merchantId, creator: toCreator(send) });
  const done = await deps.inFlight.take(last.id, async () =>
    deps.inFlight.begin(async (childId) => {
      const stored = await deps.db.transaction(async (tx) =>
        store(tx, deps, { adapter, quote }, { input, takeBack, childId, lastId: last.id }),
      );
      const { sendId, version, transaction } = stored;
      const what = takeBack ? 'cancelling replacement of a send signed' : 'fee of a send bumped on request';
      deps.logger.info({ sendId: send.id, by: sendId, version, txid: transaction.txid }, what);
      return broadcastReplacement(deps, adapter, stored);
    }),
  );
  if (done === null) throw sendBusyError();
  return getSend(deps, { merchantId: input.merchantId, sendId: send.id });
}

/** The node's quote at a requested rate. @throws {AppError} NODE_UNAVAILABLE, VALIDATION_INVALID */
export async function quoteFor(adapter: ChainAdapter, rate: bigint | null): Promise<FeeQuote> {
  try {
    return atRate(await adapter.feeQuote(), rate, adapter.coin);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const message = `${nodeFault(adapter.coin, error)}; nothing was changed`;
    throw new AppError('NODE_UNAVAILABLE', message, { cause: error });
  }
}

interface ReplacementRequest {
  readonly input: ReplaceSendInput;
  readonly takeBack: boolean;
  readonly childId: string;
  readonly lastId: string;
}

async function store(
  tx: Tx,
  deps: BumpSendsDeps,
  { adapter, quote }: Using,
  request: ReplacementRequest,
): Promise<NewVersion> {
  const { input, takeBack, childId, lastId } = request;
  await changedBudget(tx, deps, input);
  const ordered = await requireOpenSend(tx, input);
  const chain = await findSendChain(tx, ordered);
  const send = chain.at(-1) ?? ordered;
  if (send.id !== lastId) throw sendBusyError();
  const newest = (await listVersions(tx, lastId)).at(-1);
  if (newest === undefined) throw new Error(`send ${lastId} has no version`);
  if (!takeBack && newest.cancels && send.id === ordered.id) {
    throw new AppError(
      'INVALID_STATE',
      'this send is being cancelled: cancel it again to raise the fee of the cancellation',
    );
  }
  const byChild = async (payer: StoredSend) =>
    storeCpfpChild(tx, deps, { childId, send, adapter, quote, payer });
  if (!takeBack && newest.version > send.version) {
    const child = await byChild(send);
    if (child !== null && 'plan' in child) return child;
  }
  const paid = await paidRate(tx, send, newest);
  const targetRate = quote.rate > paid ? quote.rate : paid + 1n;
  const budget = await feeLimit(tx, send);
  const within = rateWithin(budget, readPlan(newest.planJson));
  const rates = input.feeRate === undefined ? [targetRate, within, paid + 1n] : [quote.rate];
  const { plan, over } = await planFeeBump(tx, deps, {
    send,
    newest,
    adapter,
    quote,
    rates: rates.filter((rate) => rate > paid && rate <= targetRate),
    takeBack,
  });
  if (plan === null && over === null) throw notPossible(input, ordered);
  if (plan === null) {
    const child = ordered.id === send.id ? null : await byChild(ordered);
    if (child !== null && 'plan' in child) return child;
    throw feeAboveLimit(over ?? 0n, budget, send.coin);
  }
  const cancels = takeBack || newest.cancels;
  return storeVersion(tx, deps, { send, newest, adapter, plan, cancels });
}

/** A new budget replaces the original one. */
async function changedBudget(tx: Tx, deps: BumpSendsDeps, input: ReplaceSendInput): Promise<void> {
  const send = await requireOpenSend(tx, input);
  const maxFee = readMaxFee(input.maxFee, send.coin);
  if (maxFee === null) return;
  const terms = countingTerms(deps, { ordered: BigInt(send.ordered), now: deps.clock.now() });
  await changeBudget(tx, send, maxFee, terms);
}

function staysInWallet(): AppError {
  return new AppError('INVALID_STATE', 'this send moves money within the wallet: it cannot be cancelled');
}

function spentOn(): AppError {
  return new AppError('INVALID_STATE', 'another send spends the change of this one: cancel that one first');
}

function notPossible({ feeRate }: ReplaceSendInput, send: StoredSend): AppError {
  const why =
    feeRate === undefined
      ? 'no money for a higher fee, or the configured cap is reached'
      : 'feeRate is not above the paid rate, or no money for it';
  return new AppError('INSUFFICIENT_BALANCE', `the fee of ${send.id} cannot be raised: ${why}`);
}
