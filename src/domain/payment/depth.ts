import {
  expectedConfirmations,
  finalHeight,
  requiredFinality,
  requiredConfirmationsFor,
  type Finality,
  type RequiredConfirmations,
} from '../confirmations.ts';
import { COINS, type Coin } from '../coins.ts';
import { liveCredits, sumByCoin } from './credits.ts';
import { policyIn } from './terms.ts';
import type { PaymentCredit, PaymentState } from './types.ts';

/**
 * The required confirmations of a payment's money: the tier of the live total per coin, never less than the
 * quoted requirement.
 */
export interface Depths {
  readonly isSettled: (credit: PaymentCredit) => boolean;
  /** Required confirmations of money in a coin; for a finality, its usual depth. */
  readonly required: (coin: Coin) => number;
  readonly finality: (coin: Coin) => Finality | null;
  /** The `required` ones, or more while an output waits for its maturity (a coinbase, a peg-out). */
  readonly needed: (coin: Coin) => number;
  /**
   * Confirmations for display: they reach the required number exactly when the money settles, even where
   * finality takes more or fewer blocks than usual.
   */
  readonly shown: (credit: PaymentCredit) => number;
}

/** Reads each coin's requirement once: a payment may have thousands of credits. */
export function requiredDepths(payment: PaymentState): Depths {
  const live = liveCredits(payment);
  const sums = sumByCoin(live);
  const requirements = new Map<Coin, RequiredConfirmations>();
  for (const coin of COINS) {
    const policy = policyIn(payment, coin);
    if (policy !== undefined) requirements.set(coin, requiredConfirmationsFor(policy, sums[coin] ?? 0n));
  }
  const isSettled = (credit: PaymentCredit): boolean => {
    const requirement = requirements.get(credit.coin);
    return requirement !== undefined && isDeep(payment, credit, requirement);
  };
  const required = (coin: Coin): number => expectedConfirmations(requirements.get(coin) ?? 1);
  const finality = (coin: Coin): Finality | null => requiredFinality(requirements.get(coin) ?? 1);
  return {
    isSettled,
    required,
    finality,
    needed: (coin) =>
      live.reduce((needed, credit) => {
        const isWaiting = credit.coin === coin && credit.maturity > needed && !isSettled(credit);
        return isWaiting ? credit.maturity : needed;
      }, required(coin)),
    shown: (credit) => {
      const depth = countConfirmations(payment, credit);
      if (depth === 0 || finality(credit.coin) === null) return depth;
      const usual = required(credit.coin);
      return isSettled(credit) ? Math.max(depth, usual) : Math.min(depth, usual - 1);
    },
  };
}

/** Live money with all required confirmations. */
export function settledCredits(payment: PaymentState): readonly PaymentCredit[] {
  const { isSettled } = requiredDepths(payment);
  return liveCredits(payment).filter(isSettled);
}

/** Money of one coin that may be refunded. */
export interface DeepMoney {
  readonly credits: readonly PaymentCredit[];
  /** Maximum number of atoms that may be refunded before the money has more confirmations; null: all of it. */
  readonly most: bigint | null;
}

/**
 * Those of these credits of a coin with enough confirmations to be refunded. A refund waits for the tier of
 * all past and pending refunds of the coin together, so that splitting it into many small ones gains nothing.
 */
export function deepMoney(payment: PaymentState, coin: Coin, credits: readonly PaymentCredit[]): DeepMoney {
  const policy = policyIn(payment, coin);
  if (policy === undefined) return { credits: [], most: null };
  const starts = [0n, ...policy.tiers.map(({ fromAtoms }) => fromAtoms)];
  let best: DeepMoney & { readonly atoms: bigint } = { credits: [], most: null, atoms: 0n };
  for (const [tier, start] of starts.entries()) {
    const requirement = requiredConfirmationsFor(policy, start);
    const deep = credits.filter((credit) => isDeep(payment, credit, requirement));
    const sum = sumByCoin(deep)[coin] ?? 0n;
    const next = starts[tier + 1];
    const most = next === undefined || sum < next ? null : next - 1n;
    const atoms = most ?? sum;
    // At the same sum the later tier, which has nothing left to wait for.
    if (atoms >= best.atoms && atoms >= start) best = { credits: deep, most, atoms };
  }
  return best;
}

function isDeep(payment: PaymentState, credit: PaymentCredit, requirement: RequiredConfirmations): boolean {
  const depth = countConfirmations(payment, credit);
  if (depth < Math.max(1, credit.maturity)) return false;
  if (typeof requirement === 'number') return depth >= requirement;
  const final = finalHeight(payment.final[credit.coin], requirement);
  return final !== null && credit.height !== null && credit.height <= final;
}

/** Confirmations of a credit counted from its current block; 0 while unconfirmed. */
function countConfirmations({ tips }: PaymentState, { coin, state, height }: PaymentCredit): number {
  const tip = tips[coin];
  if (state !== 'confirmed' || height === null || tip === undefined) return 0;
  return Math.max(0, tip - height + 1);
}
