import { accountsPerSend } from '../../../domain/accounts.ts';
import {
  inputCostAt,
  maxInputs,
  outputKey,
  InsufficientFunds,
  UnsendableAmount,
  type Ancestry,
  type ChainAdapter,
  type FeeQuote,
  type Fund,
  type SendPlan,
} from '../../../domain/chain.ts';
import { AppError, invalidField } from '../../../domain/errors.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import type { AddressDeriver } from '../../../domain/keys.ts';
import { distinctAncestors, deficitAt } from '../../../domain/send/package-fee.ts';
import { MAX_RESERVED_OUTPUTS } from '../../../domain/send/parts.ts';
import { neededWith, planPreparation, type Preparation } from '../../../domain/send/plan-preparation.ts';
import { findWatched } from '../../../store/ledger/addresses.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { spendableFunds, spendableTotal } from '../../../store/ledger/spendable.ts';
import { matchesChainBalances } from './drawable-funds.ts';
import { type Pool, selectPool } from './select-pool.ts';
import { listRecipients, type SendOrder } from './send-order.ts';
import { sendsFromOneAddress } from './sender.ts';
import { insufficient } from './shortage.ts';
import { planWatched } from './watched-source.ts';

export interface PlanOrderDeps {
  readonly deriver: AddressDeriver;
}

/** One transaction, or the parts that precede it. */
export type OrderPlan = SendPlan | Preparation;

export function isPreparation(plan: OrderPlan): plan is Preparation {
  return 'parts' in plan;
}

/** The amount that the destination receives, and the total fee of all transactions. */
export function sumPlan(plan: OrderPlan): Pick<SendPlan, 'amount' | 'fee' | 'feeRate'> {
  if (!isPreparation(plan)) return plan;
  const { fee, last } = plan;
  return { fee, amount: last.amount, feeRate: last.feeRate };
}

interface Using {
  readonly adapter: ChainAdapter;
  readonly quote: FeeQuote;
}

/**
 * Coin selection for an order: confirmed coins first, then unconfirmed change of own sends where those do not
 * suffice; on chains of whole accounts also the expected remainder of own sends, for which it then waits.
 * Inside a transaction the selection stays valid until its end. The fee is not compared with a budget: the
 * store does that when it stores the send.
 * @throws {AppError} INSUFFICIENT_BALANCE naming the available and the pending amount, or VALIDATION_INVALID.
 */
export async function planOrder(
  db: Db,
  deps: PlanOrderDeps,
  order: SendOrder,
  using: Using,
): Promise<OrderPlan> {
  const { adapter, quote } = using;
  await rejectOwnPaymentAddress(db, adapter, order);
  const { watched } = order;
  if (watched !== undefined) return planWatched(db, deps, { ...order, watched }, using);
  const pool = await selectPool(db, deps, order, quote);
  try {
    return await planTransactions(db, order, using, pool);
  } catch (error) {
    if (error instanceof InsufficientFunds && order.only !== undefined) throw mustWait();
    if (error instanceof InsufficientFunds && isChosen(order)) throw chosenTooSmall(order, error);
    if (error instanceof InsufficientFunds) {
      const reached = [...(pool.queued ?? pool.confirmed), ...pool.change.funds];
      throw await insufficient(db, order, { shortage: error, reached, inputCost: costOfInput(using) });
    }
    if (error instanceof UnsendableAmount)
      throw invalidField(error.output === null ? 'amount' : `outputs.${error.output}.amount`, error.message);
    throw error;
  }
}

/** Like planOrder, on chains where a send is always one transaction. */
export async function planOneTransaction(
  db: Db,
  deps: PlanOrderDeps,
  order: SendOrder,
  using: Using,
): Promise<SendPlan> {
  const plan = await planOrder(db, deps, order, using);
  if (isPreparation(plan)) throw new Error(`a ${order.coin} send needs several transactions`);
  return plan;
}

/** One transaction, or several where it needs more outputs than one accepts. @throws {InsufficientFunds} */
async function planTransactions(db: Db, order: SendOrder, using: Using, pool: Pool): Promise<OrderPlan> {
  try {
    if (order.everything === true && !isChosen(order)) await requireInOneTransaction(db, order, using);
    return choose(order, using, pool);
  } catch (error) {
    const mayTakeSeveral = pool.isByOutput && order.only === undefined;
    if (!(error instanceof InsufficientFunds) || !mayTakeSeveral) throw error;
    return planInParts(db, order, using, { pool, one: error });
  }
}

/**
 * Plans a send that exceeds one transaction: because of the number of outputs, or of the size of its
 * unconfirmed ancestors, which must then confirm first.
 * @param one why one transaction cannot pay for it
 * @throws {InsufficientFunds} of what one send reaches
 */
async function planInParts(
  db: Db,
  order: SendOrder,
  using: Using,
  { pool, one }: { readonly pool: Pool; readonly one: InsufficientFunds },
): Promise<OrderPlan> {
  const { adapter, quote } = using;
  const { change, changeAddress } = pool;
  const total = await spendableTotal(db, order, costOfInput(using));
  const spendable = worthSpending(change.funds, using, change.ancestry);
  const worth =
    total.amount + spendable.reduce((sum, fund) => sum + effectiveValue(fund, using, change.ancestry), 0n);
  if (one.available >= worth) throw one;
  const confirmed = await spendableFunds(db, order, MAX_RESERVED_OUTPUTS);
  const funds = [...worthSpending(confirmed, using, new Map()), ...spendable].toSorted(largestFirst);
  const isEverything = order.everything === true;
  if (isEverything && total.count > MAX_RESERVED_OUTPUTS)
    throw new InsufficientFunds(sumFunds(funds), one.needed);
  const { destination, outputs = null, amount, subtractFee } = order;
  const paid = { destination, outputs, amount };
  const request = { ...paid, subtractFee: subtractFee || isEverything, everything: isEverything };
  const inputCost = (rate: bigint): bigint => inputCostAt(adapter, { rate });
  const mostInputs = maxInputs(adapter, outputs?.length);
  const terms = { adapter, quote, changeAddress, mostInputs, inputCost };
  const preparation = planPreparation(request, funds, terms);
  if (preparation === null) throw new InsufficientFunds(sumFunds(funds), neededWith(request, funds, terms));
  const unconfirmed = new Set(spendable.map(({ ref }) => outputKey(ref)));
  const waits = preparation.last.inputs.some(({ ref }) => unconfirmed.has(outputKey(ref)));
  return preparation.parts.length > 0 || waits ? preparation : preparation.last;
}

function largestFirst(a: Fund, b: Fund): number {
  if (a.amount === b.amount) return 0;
  return a.amount > b.amount ? -1 : 1;
}

function isChosen({ inputs = null }: SendOrder): boolean {
  return inputs !== null;
}

function chosenTooSmall({ coin }: SendOrder, { available, needed }: InsufficientFunds): AppError {
  const show = (atoms: bigint): string => `${formatCoinAmount(atoms, coin)} ${coin}`;
  const message = `the chosen inputs are worth ${show(available)}, and ${show(needed)} is needed, network fee included`;
  return new AppError('INSUFFICIENT_BALANCE', message, {
    details: [{ field: 'inputs', code: 'inputs_too_small', message }],
  });
}

function mustWait(): AppError {
  return new AppError(
    'INVALID_STATE',
    'An earlier refund of this payment failed, but could still be mined, and its coins cannot pay this one: ' +
      'wait until the block that ended it is deep enough',
  );
}

/** `max` never sends less than the whole balance. @throws {InsufficientFunds} when that takes several transactions. */
async function requireInOneTransaction(db: Db, order: SendOrder, using: Using): Promise<void> {
  if (sendsFromOneAddress(order) || accountsPerSend(order) !== null) return;
  const inputCost = costOfInput(using);
  const { amount, count } = await spendableTotal(db, order, inputCost);
  const most = maxInputs(using.adapter);
  if (count <= most) return;
  const reached = (await spendableFunds(db, order, most)).filter((fund) => fund.amount > inputCost);
  throw new InsufficientFunds(sumFunds(reached), amount);
}

/** Confirmed coins first: spending unconfirmed change costs more and may take longer. */
function choose(order: SendOrder, using: Using, pool: Pool): SendPlan {
  const { confirmed, change, queued } = pool;
  if (isChosen(order)) {
    const isEverything = order.everything === true;
    const amount = isEverything ? sumFunds(confirmed) : order.amount;
    return planFrom(confirmed, { ...order, amount }, using, pool);
  }
  if (order.everything === true) {
    const funds = worthSpending([...(queued ?? confirmed), ...change.funds], using, change.ancestry);
    const most = maxInputs(using.adapter);
    if (pool.isByOutput && funds.length > most)
      throw new InsufficientFunds(sumFunds(funds.slice(0, most)), sumFunds(funds));
    const amount = sumFunds(funds) - (pool.nonceSequence?.committed ?? 0n);
    if (amount <= 0n) throw new InsufficientFunds(0n, 1n);
    return planFrom(funds, { ...order, amount, subtractFee: true }, using, pool);
  }
  try {
    return planFrom(confirmed, order, using, pool);
  } catch (error) {
    // A remainder that is too small alone may be allowed once it is combined with the remainder of other
    // sends.
    const isShort = error instanceof InsufficientFunds || error instanceof UnsendableAmount;
    if (isShort && queued !== null) return planFrom(queued, order, using, pool);
    if (!(error instanceof InsufficientFunds) || change.funds.length === 0) throw error;
    return planFrom([...confirmed, ...change.funds], order, using, pool);
  }
}

function planFrom(funds: readonly Fund[], order: SendOrder, using: Using, pool: Pool): SendPlan {
  const { adapter, quote } = using;
  const { changeAddress, nonceSequence, change } = pool;
  const { destination, outputs, amount, subtractFee } = order;
  const request = {
    funds,
    spendsAll: isChosen(order),
    ancestry: change.ancestry,
    destination,
    outputs,
    amount,
    subtractFee,
    changeAddress,
    quote,
    nonceSequence,
  };
  const plan = adapter.planSend(request);
  // The future balance of the merchant address is compared with the chain at its turn.
  if (
    drawsOnQueue(funds, pool) ||
    matchesChainBalances(plan, quote.balances, { least: adapter.minimumPayment })
  )
    return plan;
  // Including it would empty the merchant's own account, which may hold more than the ledger knows.
  const deposits = funds.filter(({ address }) => address !== changeAddress);
  return adapter.planSend({ ...request, funds: deposits });
}

/** Whether these include the merchant address in its state after the sends in flight. */
function drawsOnQueue(funds: readonly Fund[], { queued }: Pool): boolean {
  const [account] = queued ?? [];
  return account !== undefined && funds.includes(account);
}

/** Drops funds that cost more to spend than they hold. */
function worthSpending(funds: readonly Fund[], using: Using, ancestry: Ancestry): Fund[] {
  const cost = costOfInput(using);
  return funds.filter((fund) => effectiveValue(fund, using, ancestry) > cost);
}

/** Its amount less the fee that its unconfirmed ancestors lack at the current rate. */
function effectiveValue(fund: Fund, { quote }: Using, ancestry: Ancestry): bigint {
  return fund.amount - deficitAt(quote.rate, distinctAncestors([fund], ancestry));
}

function costOfInput({ adapter, quote }: Using): bigint {
  return inputCostAt(adapter, quote);
}

/**
 * Rejects a payment's own address as destination: the money would count as the customer's, so a merchant who
 * copies that address to refund the payment would mark it paid instead.
 */
async function rejectOwnPaymentAddress(db: Db, adapter: ChainAdapter, order: SendOrder): Promise<void> {
  const recipients = listRecipients(order).map((one) => ({
    ...one,
    watchKey: adapter.watchKey(one.destination),
  }));
  const known = await findWatched(
    db,
    order,
    recipients.map(({ watchKey }) => watchKey),
  );
  const own = new Set(
    known.flatMap(({ merchantId, purpose, watchKey }) =>
      merchantId === order.merchantId && purpose === 'payment' ? [watchKey] : [],
    ),
  );
  for (const { watchKey, field } of recipients) {
    if (!own.has(watchKey)) continue;
    throw invalidField(
      field,
      'is the address of one of your own payments: money sent there would count as the customer paying',
    );
  }
}

function sumFunds(funds: readonly Fund[]): bigint {
  return funds.reduce((sum, { amount }) => sum + amount, 0n);
}
