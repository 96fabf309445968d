/** The fees that a shop's wallet pays automatically in a year of given fee rates, under one rule for fee bumps. */
import { feeFor, transactionVsize } from '../../src/chains/utxo/sends/size.ts';
import { consolidationBudget, orderBudget, rateWithin } from '../../src/domain/send/fee-budget.ts';
import { DEFAULT_SEND_POLICY, shouldBumpFee } from '../../src/domain/send/policy.ts';

const HOUR_MS = 3_600_000;
const WEEK_HOURS = 7 * 24;
/** Atoms per 1,000 vB, the default. */
const CONSOLIDATE_BELOW = 2_000n;
const CAP_RATE = 500_000n;
/** The mempool's minimum rate is the node's estimate for an hour divided by this. */
const MINIMUM_PART = 3n;
const FROM_OUTPUTS = 200;
const MOST_OUTPUTS = 300;
/** A transaction is mined within the hour at this percentage of the node's estimate. */
const MINED_PERCENT = 90n;
/** A native segwit script has 22 bytes. */
const SCRIPT = new Uint8Array(22);

/** `unbounded`: a consolidation may cost its whole amount, and a send without `maxFee` any rate of the node. */
export type Rule = 'unbounded' | 'budget';

export const KINDS = ['consolidation', 'claim', 'payout'] as const;
export type Kind = (typeof KINDS)[number];

export interface Shop {
  readonly payments: number;
  /** Amount of a payment, atoms. */
  readonly amountOf: () => bigint;
  /** One payment in this many is refunded by a claim that needs no approval. */
  readonly claimEvery: number;
}

export interface Paid {
  count: number;
  raises: number;
  /** Atoms. */
  fees: bigint;
  dearest: bigint;
}

interface Open {
  readonly kind: Kind;
  readonly vsize: bigint;
  readonly limit: bigint;
  fee: bigint;
  signedAt: number;
}

interface Now {
  readonly rate: bigint;
  readonly hour: number;
  readonly rule: Rule;
}

/** @param rates the node's estimates, hour by hour */
export function play(rates: readonly bigint[], shop: Shop, rule: Rule): Record<Kind, Paid> {
  const paid = { consolidation: nothing(), claim: nothing(), payout: nothing() };
  const outputs: bigint[] = [];
  let open: Open[] = [];
  let waiting: bigint[] = [];
  let received = 0;
  for (const [hour, rate] of rates.entries()) {
    const now = { rate, hour, rule };
    const isMined = (each: Open) => rateOf(each) * 100n >= rate * MINED_PERCENT;
    for (const each of open.filter(isMined)) settle(paid[each.kind], each);
    open = open.filter((each) => !isMined(each));
    for (const each of open) if (raise(each, now)) paid[each.kind].raises += 1;
    const due = Math.floor(((hour + 1) * shop.payments) / rates.length);
    for (; received < due; received += 1) {
      const amount = shop.amountOf();
      outputs.push(amount);
      if (received % shop.claimEvery === 0) waiting.push(amount);
    }
    const sent = waiting.filter((amount) => claimOf(amount, now).fee <= amount);
    open.push(...sent.map((amount) => claimOf(amount, now)));
    waiting = waiting.filter((amount) => !sent.includes(amount));
    if (hour % WEEK_HOURS === WEEK_HOURS - 1) open.push(payoutOf(sumOf(outputs.slice(-FROM_OUTPUTS)), now));
    if (outputs.length >= FROM_OUTPUTS && rate <= CONSOLIDATE_BELOW) {
      open.push(consolidationOf(outputs.splice(0, MOST_OUTPUTS), now));
    }
  }
  for (const each of open) settle(paid[each.kind], each);
  return paid;
}

function consolidationOf(outputs: readonly bigint[], { rate, hour, rule }: Now): Open {
  const vsize = transactionVsize('p2wpkh', outputs.length, [SCRIPT]);
  const moved = sumOf(outputs);
  const fee = feeFor(vsize, rate);
  const terms = { moved, startsBelow: CONSOLIDATE_BELOW, policy: DEFAULT_SEND_POLICY };
  const budget = consolidationBudget({ fee, feeRate: rate }, terms);
  return { kind: 'consolidation', vsize, limit: rule === 'budget' ? budget : moved, fee, signedAt: hour };
}

function claimOf(amount: bigint, now: Now): Open {
  return orderOf('claim', amount, now, now.rule === 'budget' ? amount : null);
}

function payoutOf(amount: bigint, now: Now): Open {
  return orderOf('payout', amount, now, null);
}

function orderOf(kind: Kind, amount: bigint, { rate, hour, rule }: Now, maxFee: bigint | null): Open {
  const vsize = transactionVsize('p2wpkh', 1, [SCRIPT, SCRIPT]);
  const requestedRate = rate > CAP_RATE ? CAP_RATE : rate;
  const fee = feeFor(vsize, requestedRate);
  const quote = { minimum: requestedRate / MINIMUM_PART };
  const budget = orderBudget(
    { amount, maxFee },
    { fee, feeRate: requestedRate },
    { quote, policy: DEFAULT_SEND_POLICY },
  );
  const limit = rule === 'budget' || budget > fee ? budget : fee;
  return { kind, vsize, limit, fee, signedAt: hour };
}

/** Bumps the fee of a stuck send as the daemon does, within its limit. */
function raise(open: Open, { rate, hour, rule }: Now): boolean {
  const requestedRate = rate > CAP_RATE ? CAP_RATE : rate;
  const minimum = requestedRate / MINIMUM_PART;
  const paid = rateOf(open);
  const ageMs = (hour - open.signedAt) * HOUR_MS;
  const quote = { rate: requestedRate, minimum };
  if (!shouldBumpFee(DEFAULT_SEND_POLICY, { coin: 'BTC', ageMs, paid }, quote)) return false;
  const within = rateWithin(open.limit, { fee: open.fee, feeRate: paid });
  const best = [requestedRate, within, minimum]
    .filter((each) => each > paid && each <= requestedRate)
    .find((each) => feeFor(open.vsize, each) <= open.limit || (rule === 'unbounded' && each === minimum));
  if (best === undefined) return false;
  open.fee = feeFor(open.vsize, best);
  open.signedAt = hour;
  return true;
}

function rateOf({ fee, vsize }: Pick<Open, 'fee' | 'vsize'>): bigint {
  return (fee * 1000n) / vsize;
}

function settle(paid: Paid, { fee }: Open): void {
  paid.count += 1;
  paid.fees += fee;
  if (fee > paid.dearest) paid.dearest = fee;
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

function nothing(): Paid {
  return { count: 0, raises: 0, fees: 0n, dearest: 0n };
}
