import type { ReorgFate } from './chain-world.ts';
import type { Random } from './random.ts';

/** Number of steps with faults. Together longer than the lifetime of a payment. */
export const STEPS = 24;

export type PayKind =
  | 'exact'
  | 'under'
  | 'over'
  | 'twice'
  | 'in-two'
  | 'last-moment'
  | 'late'
  | 'unpaid'
  /** A part first, then the amount due. */
  | 'top-up'
  /** The first payment expires; the payer renews it and pays the renewal, the expired payment, or both. */
  | 'renewal'
  | 'renewal-old'
  | 'renewal-both';

const PAY_KINDS: readonly PayKind[] = [
  'exact',
  'exact',
  'exact',
  'last-moment',
  'last-moment',
  'under',
  'over',
  'twice',
  'in-two',
  'late',
  'unpaid',
  'top-up',
  'top-up',
  'top-up',
  'renewal',
  'renewal-old',
  'renewal-both',
];

/** An order, and its payment some steps later. */
export interface OrderPlan {
  readonly step: number;
  readonly dollars: number;
  readonly kind: PayKind;
  readonly payAfterSteps: number;
  readonly way: string;
}

export type SendKind = 'send' | 'send-all' | 'refund' | 'refund-part' | 'consolidate';

const SEND_KINDS: readonly SendKind[] = [
  'send',
  'send',
  'send',
  'send',
  'send-all',
  'refund',
  'refund-part',
  'refund-part',
  'consolidate',
];

/** The merchant sends from the wallet, refunds a payment, or consolidates outputs. */
export interface SendPlan {
  readonly step: number;
  readonly kind: SendKind;
  /** Per cent of the balance, or of the payment. */
  readonly percent: number;
}

/** The merchant creates a refund link for a paid payment; its payer may claim it. */
export interface LinkPlan {
  readonly step: number;
  /** Per cent of the price; null: the remainder. */
  readonly percent: number | null;
  readonly needsApproval: boolean;
  readonly deductsFee: boolean;
  readonly claimAfterSteps: number;
  readonly end: 'claimed' | 'cancelled' | 'ignored';
}

/** The network's fee rate is a multiple of the usual one for some steps. */
export interface FeeSpike {
  readonly from: number;
  readonly to: number;
  readonly times: number;
}

export type Upheaval =
  | { readonly kind: 'reorg'; readonly depth: number; readonly fate: ReorgFate }
  | { readonly kind: 'raise-fee' | 'double-spend' }
  | { readonly kind: 'lose-unconfirmed'; readonly all: boolean }
  | { readonly kind: 'crash-node' }
  | { readonly kind: 'restart-till'; readonly downSteps: number };

/** A fault (its index among those of the coin) during a range of steps. */
export interface Spell {
  readonly mischief: number;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
}

/** The plan of a round, generated from its seed in advance. */
export interface Plan {
  readonly seed: number;
  /** The duration of each step, ms. */
  readonly stepsMs: readonly number[];
  readonly orders: readonly OrderPlan[];
  readonly sends: readonly SendPlan[];
  readonly links: readonly LinkPlan[];
  readonly feeSpikes: readonly FeeSpike[];
  readonly upheavals: readonly (Upheaval & { readonly step: number })[];
  readonly spells: readonly Spell[];
  /** The history that the node has lost by the end is never recovered. */
  readonly staysHoled: boolean;
}

/** Generates a plan. @param mischiefs number of kinds of faults */
export function drawPlan(
  seed: number,
  random: Random,
  options: {
    readonly mischiefs: number;
    readonly ways: readonly string[];
    readonly price: { readonly low: number; readonly high: number };
  },
): Plan {
  const { mischiefs, ways, price } = options;
  const times = random.fork();
  const orders = random.fork();
  const sends = random.fork();
  const upheavals = random.fork();
  const spells = random.fork();
  const links = random.fork();
  const fees = random.fork();
  return {
    seed,
    stepsMs: Array.from({ length: STEPS }, () => times.int(8, 32) * 1000),
    orders: Array.from({ length: orders.int(5, 8) }, () => ({
      step: orders.int(0, 7),
      dollars: orders.int(price.low, price.high),
      kind: orders.pick(PAY_KINDS),
      payAfterSteps: orders.int(0, 9),
      way: orders.pick(ways),
    })),
    sends: Array.from({ length: sends.int(3, 6) }, () => ({
      step: sends.int(0, STEPS - 4),
      kind: sends.pick(SEND_KINDS),
      percent: sends.int(3, 60),
    })),
    links: Array.from({ length: links.int(0, 3) }, () => ({
      step: links.int(2, STEPS - 6),
      percent: links.chance(0.4) ? null : links.int(10, 90),
      needsApproval: links.chance(0.3),
      deductsFee: links.chance(0.5),
      claimAfterSteps: links.int(0, 8),
      end: links.pick(['claimed', 'claimed', 'claimed', 'cancelled', 'ignored'] as const),
    })),
    feeSpikes: Array.from({ length: fees.int(0, 2) }, () => drawSpike(fees)),
    upheavals: Array.from({ length: upheavals.int(0, 4) }, () => ({
      ...drawUpheaval(upheavals),
      step: upheavals.int(1, STEPS - 3),
    })),
    spells: Array.from({ length: spells.int(2, 5) }, () => {
      const from = spells.int(0, STEPS - 3);
      const to = Math.min(STEPS, from + spells.int(1, 9));
      return { mischief: spells.int(0, mischiefs - 1), seed: spells.int(0, 2 ** 30), from, to };
    }),
    staysHoled: random.chance(0.35),
  };
}

/** Some last beyond the steps and end in the final phase. */
function drawSpike(random: Random): FeeSpike {
  const from = random.int(2, STEPS);
  return { from, to: from + random.int(3, 20), times: random.pick([5, 20, 100, 1_000]) };
}

function drawUpheaval(random: Random): Upheaval {
  const kind = random.pick([
    'reorg',
    'reorg',
    'reorg',
    'raise-fee',
    'double-spend',
    'lose-unconfirmed',
    'lose-unconfirmed',
    'crash-node',
    'restart-till',
    'restart-till',
  ] as const);
  if (kind === 'reorg') {
    return { kind, depth: random.int(1, 3), fate: random.pick(['moved', 'moved', 'dropped', 'replaced']) };
  }
  if (kind === 'lose-unconfirmed') return { kind, all: random.chance(0.5) };
  return kind === 'restart-till' ? { kind, downSteps: random.int(0, 3) } : { kind };
}
