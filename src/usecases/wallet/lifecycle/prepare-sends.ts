import {
  ChainError,
  inputCostAt,
  maxInputs,
  UnsendableAmount,
  type ChainAdapter,
  type FeeQuote,
  type SendPlan,
} from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import { assertNever } from '../../../domain/errors.ts';
import { isOpen } from '../../../domain/send/send-status.ts';
import { nextStep, type PreparationStep } from '../../../domain/send/next-step.ts';
import type { Reserved } from '../../../domain/send/parts.ts';
import { findMerchant } from '../../../store/merchants/merchants.ts';
import {
  releaseOutputs,
  reserveOutputs,
  unconfirmedReserved,
  reservedFunds,
} from '../../../store/ledger/reservations.ts';
import { remainingBudgetForPart, feeLimit } from '../../../store/sends/fee-budgets.ts';
import { readOutputs } from '../../../store/sends/send-outputs.ts';
import { txidsOfParts } from '../../../store/sends/send-versions.ts';
import { findSend, listParts, updateSend, type StoredSend } from '../../../store/sends/sends.ts';
import { preparingSends } from '../../../store/sends/open-sends.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { storeSend } from '../send/store-send.ts';
import { nextChangeAddress, reserveChangeAddress } from '../../addresses/index.ts';
import { applySendFact } from './apply-send-fact.ts';
import { broadcastReplacement, type BumpSendsDeps } from './bump-sends.ts';
import { isPossiblyPaid } from './possibly-paid.ts';
import { storeVersion, type NewVersion } from './store-version.ts';

/** Sends advanced in one round. */
const ROUND_SIZE = 20;
/** Transactions signed for one send in one round: each takes a second, and nothing else is stored meanwhile. */
const ROUND_STEPS = 3;
/** Parts that may fail before their send does. */
const MAX_FAILED_PARTS = 3;
/** Maximum outputs read: those that a send reserves, and those that its parts created. */
const MAX_RESERVED_ROWS = 21_000;

const NOT_ENOUGH = 'its reserved outputs no longer cover the amount and the network fee';

type Using = { readonly adapter: ChainAdapter; readonly quote: FeeQuote };

/**
 * One round over the sends of a chain that gather their outputs: signs, stores and broadcasts the missing
 * parts, and once blocks contain all of them the send itself. Each step is stored before the node sees it;
 * after a crash the next round continues from the stored state. Waits for the network.
 */
export async function prepareSends(deps: BumpSendsDeps, chain: ChainId): Promise<void> {
  const adapter = deps.chains.get(chain.coin, chain.mode);
  if (adapter === null) return;
  const now = deps.clock.now();
  const at = { now, impossible: now + deps.policy.retryMaxMs };
  const due = await preparingSends(deps.db, chain, at, ROUND_SIZE);
  if (due.length === 0) return;
  try {
    const quote = await adapter.feeQuote();
    for (const send of due) await prepareSend(deps, send, { adapter, quote });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    deps.logger.warn({ ...chain, err: error }, 'no network fee rate available; sends in preparation wait');
  }
  deps.wakeWebhooks();
}

/** A failure must not block the sends after it. */
async function prepareSend(deps: BumpSendsDeps, send: StoredSend, using: Using): Promise<void> {
  try {
    await deps.inFlight.take(send.id, async () => {
      for (let step = 0; step < ROUND_STEPS; step += 1) {
        if (!(await prepareNextPart(deps, send.id, using))) return;
      }
    });
  } catch (error) {
    deps.logger.error({ sendId: send.id, err: error }, 'preparing a send failed; will retry');
    await deps.db.transaction(async (tx) => postpone(tx, deps, send, deps.policy.retryMaxMs));
  }
}

/** Whether a transaction was signed and broadcast, so that another one may follow. */
async function prepareNextPart(deps: BumpSendsDeps, sendId: string, using: Using): Promise<boolean> {
  return deps.inFlight.begin(async (partId) => {
    const stored = await deps.db.transaction(async (tx) => storeStep(tx, deps, { sendId, partId }, using));
    if (stored === null) return false;
    const { transaction, plan } = stored;
    const what = stored.sendId === sendId ? 'send signed' : 'consolidation transaction for a send signed';
    deps.logger.info(
      { sendId, by: stored.sendId, txid: transaction.txid, outputs: plan.inputs.length },
      what,
    );
    await broadcastReplacement(deps, using.adapter, stored);
    return stored.sendId !== sendId;
  });
}

/** Stores the next transaction of a send. Null when it has to wait, or ended. */
async function storeStep(
  tx: Tx,
  deps: BumpSendsDeps,
  { sendId, partId }: { readonly sendId: string; readonly partId: string },
  { adapter, quote }: Using,
): Promise<NewVersion | null> {
  const send = await findSend(tx, sendId);
  if (send?.status !== 'preparing') return null;
  if (await isPossiblyPaid(tx, send)) return holdPossiblyPaid(tx, deps, send);
  const parts = await listParts(tx, sendId);
  const failed = parts.filter(({ status }) => status === 'failed');
  if (failed.length >= MAX_FAILED_PARTS) {
    return failPreparation(
      tx,
      deps,
      send,
      `its outputs could not be gathered: ${failed.at(-1)?.error ?? 'unknown'}`,
    );
  }
  const merchant = await findMerchant(tx, send.merchantId);
  if (merchant === undefined) throw new Error(`merchant ${send.merchantId} of send ${sendId} is missing`);
  const { coin, mode } = send;
  const wallet = { coin, mode, merchantId: merchant.id, account: merchant.account };
  const changeAddress = await nextChangeAddress(tx, deps, wallet);
  const reserved = await readReserved(tx, send, parts.filter(isOpen));
  // The further cost of its parts beyond their present fees is not available for it.
  const budget = reserved.partsFee + (await feeLimit(tx, send));
  const step = planStep(send, reserved, { adapter, quote, changeAddress, budget });
  switch (step.kind) {
    case 'wait':
      return postpone(tx, deps, send, deps.policy.retryMs);
    case 'over':
      return waitForFees(tx, deps, send, step.fee);
    case 'short':
      return failPreparation(tx, deps, send, NOT_ENOUGH);
    case 'unsendable':
      return failPreparation(tx, deps, send, step.reason);
    case 'part':
      await reserveChangeAddress(tx, deps, { wallet, adapter, address: changeAddress });
      return storePart(tx, deps, { send, partId, wallet, adapter, ...step });
    case 'send':
      if (step.plan.change !== null)
        await reserveChangeAddress(tx, deps, { wallet, adapter, address: changeAddress });
      return storeLast(tx, deps, { send, adapter, plan: step.plan });
    default:
      return assertNever(step);
  }
}

function planStep(
  send: StoredSend,
  reserved: Reserved,
  {
    adapter,
    quote,
    changeAddress,
    budget,
  }: Using & { readonly changeAddress: string; readonly budget: bigint },
): PreparationStep | { readonly kind: 'unsendable'; readonly reason: string } {
  const outputs = readOutputs(send);
  const order = {
    destination: send.destination,
    outputs,
    amount: BigInt(send.ordered),
    subtractFee: send.subtractFee,
    everything: send.everything,
  };
  const terms = {
    adapter,
    quote: atOrderedRate(send, quote),
    changeAddress,
    mostInputs: maxInputs(adapter, outputs?.length),
    inputCost: (rate: bigint) => inputCostAt(adapter, { rate }),
    budget,
  };
  try {
    return nextStep(order, reserved, terms);
  } catch (error) {
    if (error instanceof UnsendableAmount) return { kind: 'unsendable', reason: error.message };
    throw error;
  }
}

/** The ordered rate, unless the network's minimum is higher. */
function atOrderedRate({ orderedRate: ordered }: StoredSend, quote: FeeQuote): FeeQuote {
  if (ordered === null) return quote;
  const rate = BigInt(ordered);
  const { minimum = rate } = quote;
  return { ...quote, rate: rate < minimum ? minimum : rate };
}

async function storePart(
  tx: Tx,
  deps: BumpSendsDeps,
  part: {
    readonly send: StoredSend;
    readonly partId: string;
    readonly wallet: ChainId & { readonly merchantId: string; readonly account: number };
    readonly adapter: ChainAdapter;
    readonly plan: SendPlan;
    readonly limit: bigint;
    readonly rest: bigint;
  },
): Promise<NewVersion> {
  const { send, partId, wallet, adapter, plan, limit, rest } = part;
  const { destination } = plan;
  const amount = plan.amount + plan.fee;
  const now = deps.clock.now();
  const whole = await updateSend(tx, send.id, { fee: rest.toString(), feeLimitedAt: null }, now);
  const left = await remainingBudgetForPart(tx, whole);
  const stored = await storeSend(tx, deps, {
    sendId: partId,
    order: { ...wallet, destination, amount, subtractFee: true },
    maxFee: limit < left ? limit : left,
    adapter,
    plan,
    purpose: 'sweep',
    idempotencyKey: null,
    wholeId: send.id,
  });
  return { sendId: partId, version: stored.send.version, transaction: stored.transaction, plan };
}

async function storeLast(
  tx: Tx,
  deps: BumpSendsDeps,
  { send, adapter, plan }: Pick<Using, 'adapter'> & { readonly send: StoredSend; readonly plan: SendPlan },
): Promise<NewVersion> {
  const refs = plan.inputs.map(({ ref }) => ref);
  // Unspent reserved outputs are released.
  await releaseOutputs(tx, send.id);
  await reserveOutputs(tx, send, refs, send.id);
  await updateSend(tx, send.id, { feeLimitedAt: null }, deps.clock.now());
  const stored = await storeVersion(tx, deps, { send, newest: null, adapter, plan, cancels: false });
  await applySendFact(tx, deps, send.id, { type: 'prepared', policy: deps.policy });
  return stored;
}

async function postpone(
  tx: Tx,
  { clock }: BumpSendsDeps,
  { id }: StoredSend,
  delayMs: number,
): Promise<null> {
  const send = await findSend(tx, id);
  const now = clock.now();
  if (send?.status === 'preparing') await updateSend(tx, id, { nextBroadcastAt: now + delayMs }, now);
  return null;
}

/** Logged once; the send shows what it waits for. */
async function waitForFees(tx: Tx, deps: BumpSendsDeps, send: StoredSend, fee: bigint): Promise<null> {
  const { id: sendId, feeLimitedAt: since, maxFee: budget } = send;
  const now = deps.clock.now();
  if (since === null) {
    deps.logger.warn(
      { sendId, fee: fee.toString(), budget },
      'fee budget too small; send waits for lower fees',
    );
    await updateSend(tx, sendId, { feeLimitedAt: now }, now);
  }
  return postpone(tx, deps, send, deps.policy.retryMaxMs);
}

/** Releases its outputs, since nothing signed pays it. Broadcast parts remain moves within the wallet. */
async function failPreparation(
  tx: Tx,
  deps: BumpSendsDeps,
  { id }: StoredSend,
  reason: string,
): Promise<null> {
  await applySendFact(tx, deps, id, { type: 'abandoned', reason });
  deps.logger.warn({ sendId: id, reason }, 'send failed before it was signed');
  return null;
}

/** A later version of this database may have signed and paid it. */
async function holdPossiblyPaid(tx: Tx, deps: BumpSendsDeps, send: StoredSend): Promise<null> {
  deps.logger.error(
    { sendId: send.id },
    'send in preparation predates a restore or skipped blocks and may already have been paid: check its ' +
      'destination on the chain; its inputs stay reserved (see tillctl sends)',
  );
  return postpone(tx, deps, send, deps.policy.retryMaxMs);
}

/** The outputs of a send as currently confirmed. */
async function readReserved(tx: Tx, send: StoredSend, open: readonly StoredSend[]): Promise<Reserved> {
  const made = await txidsOfParts(tx, send.id);
  const funds = await reservedFunds(tx, send.id, MAX_RESERVED_ROWS);
  const waiting = (await unconfirmedReserved(tx, send.id)).filter(({ ref }) => !made.has(ref.txid));
  return {
    gathered: funds.filter(({ ref }) => made.has(ref.txid)),
    ungathered: funds.filter(({ ref }) => !made.has(ref.txid)),
    expected: [...open, ...waiting].map(({ amount }) => BigInt(amount)),
    partsFee: BigInt(send.partsFee),
  };
}
