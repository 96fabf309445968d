import { membersOf, type Order, type Transfer } from '../payments.ts';
import type { Stage } from '../stage.ts';
import type { RefundRow, TillDatabase } from '../till-database.ts';
import { coversPrice } from './unresolved.ts';
import type { Violation } from './verdict.ts';

/** The balance of each order, the confirmations of refunded money, and the fee budget of each send. */
export function judgeBalances(stage: Stage, database: TillDatabase): Violation[] {
  const violations: Violation[] = stage.payments.askedTwice.map((what) => ({ kind: 'asked twice', what }));
  for (const order of stage.payments.orders) {
    const ids = membersOf(order).map(({ payment }) => payment.id);
    const refunds = database
      .refunds()
      .filter(({ payment_id: id, status }) => ids.includes(id) && status !== 'failed');
    const found = [
      completedShort(order, { ids, refunds, database }),
      givenBackTooMuch(order, refunds),
      ...refunds.map((refund) => givenBackEarly(order, stage, { refund, refunds })),
    ].filter((violation) => violation !== null);
    for (const { kind, what } of found) {
      violations.push({ kind, what: `${ids.join('+')} (${order.plan.kind}): ${what}` });
    }
  }
  for (const { id, purpose, fee, budget } of database.aboveBudget()) {
    violations.push({ kind: 'above budget', what: `${purpose} ${id}: fee ${fee}, budget ${budget}` });
  }
  return violations;
}

/** Money refunded before an order was completed had to be paid again. */
function completedShort(
  order: Order,
  of: {
    readonly ids: readonly string[];
    readonly refunds: readonly RefundRow[];
    readonly database: TillDatabase;
  },
): Violation | null {
  const completed = of.database
    .events()
    .findLast(
      ({ type, payment_id: id }) => type === 'payment.completed' && id !== null && of.ids.includes(id),
    );
  if (completed === undefined) return null;
  const paid = sumOf(order.transfers.filter(wasMined));
  const returned = sumOf(
    of.refunds
      .filter(({ created_at }) => created_at < completed.created_at)
      .map(({ amount }) => ({ amount: BigInt(amount) })),
  );
  if (coversPrice(paid - returned, order.due)) return null;
  return {
    kind: 'completed short',
    what: `received ${paid}, refunded ${returned} before, price ${order.due}`,
  };
}

function givenBackTooMuch(order: Order, refunds: readonly RefundRow[]): Violation | null {
  const paid = sumOf(order.transfers.filter(wasMined));
  const returned = sumOf(refunds.map(({ amount }) => ({ amount: BigInt(amount) })));
  return returned <= paid ? null : { kind: 'given back too much', what: `${returned} of ${paid}` };
}

/** When a refund was signed, the money behind it must have had the confirmations that its amount requires. */
function givenBackEarly(
  order: Order,
  { payments }: Stage,
  { refund, refunds }: { readonly refund: RefundRow; readonly refunds: readonly RefundRow[] },
): Violation | null {
  const next = payments.settled.find(({ at }) => at >= refund.created_at);
  if (next === undefined) return null;
  const amount = BigInt(refund.amount);
  const left = sumOf(
    refunds
      .filter(({ created_at }) => created_at <= refund.created_at)
      .map((each) => ({ amount: BigInt(each.amount) })),
  );
  const height = next.heightFor(amount);
  const deep = order.transfers.filter(({ log }) =>
    log.some(({ at, where }) => at <= next.at && where.kind === 'mined' && where.height <= height),
  );
  if (sumOf(deep) >= left) return null;
  return { kind: 'given back early', what: `${refund.send_id}: ${left} left, ${sumOf(deep)} deep enough` };
}

function wasMined({ log }: Transfer): boolean {
  return log.some(({ where }) => where.kind === 'mined');
}

function sumOf(amounts: readonly { readonly amount: bigint }[]): bigint {
  return amounts.reduce((sum, { amount }) => sum + amount, 0n);
}
