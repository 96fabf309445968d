import { membersOf } from '../payments.ts';
import type { Stage } from '../stage.ts';
import type { EventRow, TillDatabase } from '../till-database.ts';
import type { Violation } from './verdict.ts';

/** Events are numbered without a gap, delivered in order, and never contradict an earlier one. */
export function judgeEvents({ payments, sink }: Stage, database: TillDatabase): Violation[] {
  const events = database.events();
  const violations: Violation[] = [];
  for (const order of payments.orders) {
    const ids = membersOf(order).map(({ payment }) => payment.id);
    for (const id of ids) {
      const own = events.filter(({ payment_id: each }) => each === id);
      const problem = problemOf(own) ?? deliveryProblem(sink.of(id).map(({ body }) => body.sequence));
      if (problem !== null) violations.push({ kind: 'contradiction', what: `${id}: ${problem}` });
    }
    const types = events
      .filter(({ payment_id: id }) => id !== null && ids.includes(id))
      .map(({ type }) => type);
    if (
      types.includes('payment.completed') &&
      types.lastIndexOf('payment.expired') > types.indexOf('payment.completed')
    )
      violations.push({
        kind: 'contradiction',
        what: `${ids.join('+')}: expired after completed: ${types.join()}`,
      });
  }
  for (const [id, own] of Map.groupBy(events, ({ send_id: sendId }) => sendId)) {
    const types = own.map(({ type }) => type);
    if (id === null || !types.includes('send.failed')) continue;
    if (types.indexOf('send.failed') < types.lastIndexOf('send.confirmed')) {
      violations.push({ kind: 'contradiction', what: `${id}: ${types.join()}` });
    }
  }
  return violations;
}

function problemOf(events: readonly EventRow[]): string | null {
  const types = events.map(({ type }) => type);
  if (events.some(({ sequence }, at) => sequence !== at + 1)) return `sequence ${types.join()}`;
  if (types.filter((type) => type === 'payment.created').length !== 1) return `created: ${types.join()}`;
  const expired = types.indexOf('payment.expired');
  const money = types.findIndex((type) => /confirming|underpaid|completed/.test(type));
  if (expired !== -1 && money !== -1 && money < expired) return `expired after money: ${types.join()}`;
  return types.filter((type) => type === 'payment.expired').length > 1 ? 'expired twice' : null;
}

/** Repeated events are allowed, older ones are not. */
function deliveryProblem(sequences: readonly number[]): string | null {
  const isOrdered = sequences.every((sequence, at) => sequence >= (sequences[at - 1] ?? 0));
  return isOrdered ? null : `delivered in the order ${sequences.join()}`;
}
