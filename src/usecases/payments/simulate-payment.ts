import { setTimeout as sleep } from 'node:timers/promises';
import { COINS, type Coin, type Mode } from '../../domain/coins.ts';
import { AppError, assertNever, invalidField } from '../../domain/errors.ts';
import { liveCredits } from '../../domain/payment/payment-machine.ts';
import {
  SimulatorRefusal,
  type PaidOrder,
  type SimulatorControl,
  type SimulatorControls,
} from '../../domain/simulator-control.ts';
import { listCursors } from '../../store/chain/chain-cursors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { outputsOfPayment, type StoredOutput } from '../../store/ledger/outputs.ts';
import { advanceExpiry } from '../../store/payments/payments.ts';
import { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';
import { getPayment, findOwnPayment } from './get-payment.ts';
import { loadPayment, type LoadedPayment } from './load-payment.ts';
import type { PaymentView } from './present-payment.ts';
import { simulatedAmount, type PayerIntent } from './simulated-amount.ts';

export const SCENARIOS = [
  'exact',
  'underpay',
  'overpay',
  'late',
  'double-spend',
  'reorg',
  'confirm',
] as const;
type Scenario = (typeof SCENARIOS)[number];

export interface SimulatePaymentDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly simulators: SimulatorControls;
  readonly wakeWebhooks: () => void;
  /** Makes the watcher of a chain poll now. */
  readonly wakeWatcher: (coin: Coin, mode: Mode) => void;
}

export interface SimulatePaymentInput {
  readonly merchantId: string;
  readonly paymentId: string;
  readonly scenario: Scenario;
  /** Defaults to the coin already paid in, else the first offered one. */
  readonly coin?: Coin | undefined;
  /** Decimal string in the coin's unit, where the scenario pays. */
  readonly amount?: string | undefined;
  /** Blocks to mine at once, where the scenario leaves money to confirm. */
  readonly confirmations?: number | undefined;
  /** Identifies the request: its earlier payments are not repeated. */
  readonly idempotencyKey?: string | null | undefined;
}

/** Number and total duration (5 s) of the polls for the watcher's result. */
const MAX_POLLS = 200;
const POLL_INTERVAL_MS = 25;

/**
 * Simulates a payer (and a miner) on the sandbox network of a payment's coin and returns the payment once the
 * watcher has seen it. Uses the machinery of real money only, except that `late` first moves the deadline.
 * @throws {AppError} PAYMENT_NOT_FOUND; INVALID_STATE for live payments and where the scenario does not
 * apply; VALIDATION_INVALID (coin, amount); COIN_UNAVAILABLE; NODE_UNAVAILABLE
 */
export async function simulatePayment(
  deps: SimulatePaymentDeps,
  input: SimulatePaymentInput,
): Promise<PaymentView> {
  const payment = await loadPayment(deps.db, deps, await findOwnPayment(deps.db, input));
  if (payment.row.mode !== 'sandbox') {
    throw new AppError('INVALID_STATE', 'Only sandbox payments can be simulated');
  }
  try {
    await play(await stageFor(deps, payment, input), input);
  } catch (error) {
    if (!(error instanceof SimulatorRefusal)) throw error;
    throw new AppError('INVALID_STATE', `The sandbox network rejects it: ${error.message}`, { cause: error });
  }
  return getPayment(deps, input);
}

interface Stage {
  readonly deps: SimulatePaymentDeps;
  readonly payment: LoadedPayment;
  readonly coin: Coin;
  readonly address: string;
  readonly control: SimulatorControl;
  /** Key under which the network remembers the payment of this request; null: not remembered. */
  readonly order: string | null;
  /** Its earlier payment, when it was interrupted between the payment and its answer. */
  readonly before: PaidOrder | null;
}

async function stageFor(
  deps: SimulatePaymentDeps,
  payment: LoadedPayment,
  input: SimulatePaymentInput,
): Promise<Stage> {
  const paidIn = liveCredits(payment.state).at(-1)?.coin;
  const offered = COINS.find((coin) => payment.options.some((option) => option.coin === coin));
  const coin = input.coin ?? paidIn ?? offered;
  const option = payment.options.find((candidate) => candidate.coin === coin);
  if (coin === undefined || option === undefined) {
    throw invalidField('coin', `this payment does not accept ${coin ?? 'coin'}`);
  }
  const control = deps.simulators.get(coin);
  if (control === null) throw new AppError('COIN_UNAVAILABLE', `${coin} is not simulated on this server`);
  const order = orderKey(input);
  const before = order === null ? null : await control.paid(order);
  return { deps, payment, coin, address: option.address, control, order, before };
}

function orderKey(input: SimulatePaymentInput): string | null {
  const { paymentId, scenario, coin = null, amount = null, idempotencyKey = null } = input;
  return idempotencyKey === null ? null : JSON.stringify([paymentId, idempotencyKey, scenario, coin, amount]);
}

async function play(stage: Stage, input: SimulatePaymentInput): Promise<void> {
  switch (input.scenario) {
    case 'exact':
    case 'underpay':
    case 'overpay':
      await payAndMine(stage, input, input.scenario);
      return;
    case 'late':
      await endLifetime(stage);
      await payAndMine(stage, input, 'exact');
      return;
    case 'double-spend':
      await doubleSpend(stage, input);
      return;
    case 'reorg':
      await reorganise(stage, input);
      return;
    case 'confirm':
      await confirm(stage, input);
      return;
    default:
      assertNever(input.scenario);
  }
}

async function payAndMine(stage: Stage, input: SimulatePaymentInput, intent: PayerIntent): Promise<void> {
  await pay(stage, input, intent);
  if (input.confirmations !== undefined) await mineBlocks(stage, input.confirmations);
}

/** Pays the payment's address and waits until the ledger has it; `seen` false: not yet. */
async function pay(
  { deps, payment, coin, address, control, order, before }: Stage,
  input: SimulatePaymentInput,
  intent: PayerIntent,
): Promise<{ txid: string; seen: boolean }> {
  const txid =
    before?.txid ??
    (await control.pay(
      [{ address, amount: simulatedAmount(payment.state, coin, intent, input.amount) }],
      order,
    ));
  const seen = await observed(deps, coin, async () => (await findMoney(deps, payment, [txid])).length > 0);
  return { txid, seen };
}

async function mineBlocks({ deps, coin, control }: Stage, blocks: number): Promise<void> {
  const height = await control.mine(blocks);
  await observed(deps, coin, async () => {
    const { tips } = await listCursors(deps.db, 'sandbox');
    return (tips[coin] ?? 0) >= height;
  });
}

/** Passes the deadline now, through the same fact that the clock produces for every payment. */
async function endLifetime({ deps, payment }: Stage): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await advanceExpiry(tx, payment.row.id, deps.clock.now());
    await applyFacts(tx, deps, payment.row.id, [{ type: 'time_passed' }]);
  });
  deps.wakeWebhooks();
}

/** A reversal of unseen money would have no visible effect. */
function requireSeen(seen: boolean, coin: Coin): void {
  if (seen) return;
  throw new AppError('NODE_UNAVAILABLE', `The ${coin} sandbox network is currently not followed`);
}

async function doubleSpend(stage: Stage, input: SimulatePaymentInput): Promise<void> {
  if (stage.before?.isGone === true) return untilGone(stage, [stage.before.txid]);
  const { txid, seen } = await pay(stage, input, 'exact');
  requireSeen(seen, stage.coin);
  try {
    await stage.control.replace(txid);
  } catch (error) {
    if (!(error instanceof SimulatorRefusal)) throw error;
    // A block was faster, so the double spend comes in a better chain.
    await stage.control.reorg({ fate: 'replaced', txids: [txid] });
  }
  await untilGone(stage, [txid]);
}

/** Takes the payment's confirmed money back in a reorganisation; pays and confirms it first if need be. */
async function reorganise(stage: Stage, input: SimulatePaymentInput): Promise<void> {
  const { deps, payment, coin, control, before } = stage;
  if (before?.isGone === true) return untilGone(stage, [before.txid]);
  const credits = liveCredits(payment.state).filter((credit) => credit.coin === coin);
  const txids = [...new Set(credits.map((credit) => credit.ref.txid))];
  if (txids.length === 0) txids.push((await pay(stage, input, 'exact')).txid);
  if (!credits.some((credit) => credit.state === 'confirmed')) {
    await mineBlocks(stage, input.confirmations ?? 1);
    const seen = await observed(deps, coin, async () => {
      const money = await findMoney(deps, payment, txids);
      return money.length > 0 && money.every((output) => output.state === 'confirmed');
    });
    requireSeen(seen, coin);
  }
  await control.reorg({ fate: 'replaced', txids });
  await untilGone(stage, txids);
}

async function confirm(stage: Stage, input: SimulatePaymentInput): Promise<void> {
  const { payment, coin } = stage;
  if (!liveCredits(payment.state).some((credit) => credit.coin === coin)) {
    throw new AppError('INVALID_STATE', `Nothing was paid in ${coin} that could be confirmed`);
  }
  const needed = payment.options.find((option) => option.coin === coin)?.requiredConfirmations;
  await mineBlocks(stage, input.confirmations ?? needed ?? 1);
}

async function untilGone({ deps, payment, coin }: Stage, txids: readonly string[]): Promise<void> {
  await observed(deps, coin, async () => {
    const money = await findMoney(deps, payment, txids);
    return money.every((output) => output.state === 'gone');
  });
}

async function findMoney(
  deps: SimulatePaymentDeps,
  payment: LoadedPayment,
  txids: readonly string[],
): Promise<StoredOutput[]> {
  const outputs = await outputsOfPayment(deps.db, payment.row.id);
  return outputs.filter((output) => txids.includes(output.txid));
}

/** Waits for the watcher to record the simulated change; false on timeout. */
async function observed(
  deps: SimulatePaymentDeps,
  coin: Coin,
  seen: () => Promise<boolean>,
): Promise<boolean> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    if (await seen()) return true;
    deps.wakeWatcher(coin, 'sandbox');
    await sleep(POLL_INTERVAL_MS);
  }
  return seen();
}
