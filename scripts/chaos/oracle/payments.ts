import { parseCoinAmount } from '../../../src/domain/money.ts';
import type { PaymentJson } from '../../../test/_helpers/api-client.ts';
import { membersOf, type Member, type Order, type Transfer } from '../payments.ts';
import type { Stage } from '../stage.ts';
import type { EventRow, TillDatabase } from '../till-database.ts';
import type { Violation } from './verdict.ts';
import { coversPrice, isGivenBack, paidOnChain, restingStates } from './unresolved.ts';

/** Block times are whole seconds. */
const MARGIN_MS = 2_000;

/** Compares the events of each order's payments with the chain. */
export async function judgePayments(
  stage: Stage,
  database: TillDatabase,
  { isHoled }: { readonly isHoled: boolean },
): Promise<Violation[]> {
  const { shop, payments } = stage;
  const violations: Violation[] = [];
  for (const order of payments.orders) {
    const members = membersOf(order);
    const ids = members.map(({ payment }) => payment.id);
    const events = database.events().filter(({ payment_id: id }) => id !== null && ids.includes(id));
    const types = events.map(({ type }) => type);
    const completed = events.filter(({ type }) => type === 'payment.completed');
    const shown = await Promise.all(ids.map(async (id) => shop.payment(id)));
    const found = [
      falseReversal(order, types),
      ...members.map((member, at) => falseExpiry(order, member, { payment: shown[at], events })),
      falseFailure(order, types),
      ...shown.flatMap((payment) => falseLateness(order, payment)),
      ...completed.map(({ created_at }) => earlySettlement(order, stage, created_at)),
      wrongAmount(order, shown, { stage, database, isHoled }),
    ].filter((violation) => violation !== null);
    for (const { kind, what } of found) {
      violations.push({
        kind,
        what: `${ids.join('+')} (${order.plan.kind}): ${what}; events ${types.join()}`,
      });
    }
  }
  return violations;
}

/** More reversals than vanished transfers. */
function falseReversal({ transfers }: Order, types: readonly string[]): Violation | null {
  const reversed = types.filter((type) => type === 'payment.reversed').length;
  const gone = transfers.filter(({ where }) => where.kind === 'absent').length;
  if (reversed <= gone) return null;
  return { kind: 'falsely reversed', what: `${reversed} reversals, ${gone} transfers gone` };
}

function falseExpiry(
  order: Order,
  member: Member,
  { payment, events }: { readonly payment: PaymentJson | undefined; readonly events: readonly EventRow[] },
): Violation | null {
  const inTime = order.transfers.filter((transfer) => transfer.to === member && wasInTime(transfer));
  if (inTime.length === 0) return null;
  const isTold = events.some(
    ({ type, payment_id: id }) => id === member.payment.id && type === 'payment.expired',
  );
  if (!isTold && payment?.status !== 'expired') return null;
  return { kind: 'falsely expired', what: `${inTime.length} transfers in time` };
}

function falseFailure({ transfers }: Order, types: readonly string[]): Violation | null {
  const isThere = transfers.length > 0 && transfers.every(({ where }) => where.kind === 'mined');
  if (!isThere || !types.includes('payment.failed')) return null;
  return { kind: 'falsely failed', what: 'all of its money is on the chain' };
}

function falseLateness(order: Order, payment: PaymentJson): Violation[] {
  return payment.transactions.flatMap(({ txid, late }): Violation[] => {
    const transfer = order.transfers.find(({ txids }) => txids.includes(txid));
    if (!late || transfer === undefined || !wasInTime(transfer)) return [];
    return [{ kind: 'falsely late', what: `${txid} was in time` }];
  });
}

/**
 * Mined at the end, and always in blocks from before the deadline, or seen by the daemon before it. A reorganisation
 * may move a transaction into a block with an earlier time: the daemon's earlier result was correct.
 */
function wasInTime({ to: { deadline }, where, shownAt, log }: Transfer): boolean {
  if (where.kind !== 'mined') return false;
  const isBefore = (timeMs: number): boolean => timeMs < deadline - MARGIN_MS;
  if (shownAt !== null && isBefore(shownAt)) return true;
  return log.every((entry) => entry.where.kind !== 'mined' || isBefore(entry.where.timeMs));
}

/** Everything settled at the next reading of the chain after `payment.completed` must have covered the price. */
function earlySettlement(order: Order, { payments }: Stage, toldAt: number): Violation | null {
  const { settled: heights } = payments;
  const next = heights.findLast(({ at }) => at === toldAt) ?? heights.find(({ at }) => at > toldAt);
  if (next === undefined) return null;
  const mined = order.transfers.filter(({ log }) =>
    log.some(({ at, where }) => at <= next.at && where.kind === 'mined'),
  );
  const height = next.heightFor(mined.reduce((total, { amount }) => total + amount, 0n));
  const settled = mined.filter(({ log }) =>
    log.some(({ at, where }) => at <= next.at && where.kind === 'mined' && where.height <= height),
  );
  const sum = settled.reduce((total, { amount }) => total + amount, 0n);
  if (coversPrice(sum, order.due)) return null;
  return { kind: 'settled early', what: `completed with ${sum} of ${order.due} settled` };
}

/** Missing history may explain a lower amount than on the chain, but never a higher one. */
function wrongAmount(
  order: Order,
  shown: readonly PaymentJson[],
  {
    stage,
    database,
    isHoled,
  }: { readonly stage: Stage; readonly database: TillDatabase; readonly isHoled: boolean },
): Violation | null {
  const { coin } = stage.world;
  const received = shown.reduce((sum, { id }) => sum + database.received(id), 0n);
  const paid = paidOnChain(order);
  const [only] = shown;
  const told =
    shown.length === 1 && only !== undefined ? parseCoinAmount(only.options[coin].received, coin) : received;
  if ([received, told].some((sum) => sum > paid || (sum < paid && !isHoled))) {
    return { kind: 'wrong amount', what: `received ${received}, reported ${told}, on the chain ${paid}` };
  }
  const isCompleted = shown.some(({ status }) => status === 'completed');
  const mayBe = restingStates(order, isGivenBack(order, database)).includes('completed');
  return isCompleted && !mayBe
    ? { kind: 'wrong amount', what: `completed with ${paid} of ${order.due}` }
    : null;
}
