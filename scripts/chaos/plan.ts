import type { ReorgFate } from './chain-world.ts';
import type { Random } from './random.ts';

/** Stretches of time in which things go wrong. Together longer than the life of a payment. */
export const STEPS = 24;

export type PayKind = 'exact' | 'under' | 'over' | 'twice' | 'in-two' | 'last-moment' | 'late' | 'unpaid';

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
];

/** Somebody orders, and pays some time after. */
export interface OrderPlan {
  readonly step: number;
  readonly dollars: number;
  readonly kind: PayKind;
  readonly payAfterSteps: number;
  readonly way: string;
}

/** The merchant sends a part of what the wallet says that he has, or gives a payment back. */
export interface SendPlan {
  readonly step: number;
  readonly kind: 'send' | 'refund';
  /** Of the balance, in per cent. */
  readonly percent: number;
}

export type Upheaval =
  | { readonly kind: 'reorg'; readonly depth: number; readonly fate: ReorgFate }
  | { readonly kind: 'raise-fee' | 'double-spend' }
  | { readonly kind: 'lose-unconfirmed'; readonly all: boolean }
  | { readonly kind: 'crash-node' }
  | { readonly kind: 'restart-till'; readonly downSteps: number };

/** A mischief (by its number among those of the coin) from one step up to another. */
export interface Spell {
  readonly mischief: number;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
}

/** A round, drawn from its seed before anything runs. */
export interface Plan {
  readonly seed: number;
  /** How long each step is, ms. */
  readonly stepsMs: readonly number[];
  readonly orders: readonly OrderPlan[];
  readonly sends: readonly SendPlan[];
  readonly upheavals: readonly (Upheaval & { readonly step: number })[];
  readonly spells: readonly Spell[];
  /** What of the history the node has lost by the end it never gets back. */
  readonly staysHoled: boolean;
}

/** Draws a round. `mischiefs`: how many kinds there are. */
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
    sends: Array.from({ length: sends.int(2, 4) }, () => ({
      step: sends.int(0, STEPS - 4),
      kind: sends.chance(0.25) ? ('refund' as const) : ('send' as const),
      percent: sends.int(3, 60),
    })),
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
