import { membersOf, type Order } from '../payments.ts';
import type { Stage } from '../stage.ts';
import type { TillDatabase } from '../till-database.ts';

/** Underpayment that counts as paid in full, in ten-thousandths. */
const TOLERANCE = 50n;
const WHOLE = 10_000n;

/** Whether a sum covers the price within the tolerance. */
export function coversPrice(sum: bigint, due: bigint): boolean {
  return sum * WHOLE >= due * (WHOLE - TOLERANCE);
}

/** The sum of an order's transfers on the best chain. */
export function paidOnChain({ transfers }: Order): bigint {
  return transfers
    .filter(({ where }) => where.kind === 'mined')
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** The allowed final states of an order's payment, by its money on the chain. */
export function restingStates(order: Order, isGivenBack: boolean): readonly string[] {
  const paid = paidOnChain(order);
  if (coversPrice(paid, order.due))
    return isGivenBack ? ['completed', 'refunded', 'underpaid', 'expired'] : ['completed'];
  if (paid > 0n) {
    const isLate = order.transfers.some(({ sentAt, to }) => sentAt >= to.deadline);
    return ['underpaid', 'expired', 'refunded', ...(isLate ? ['failed', 'cancelled'] : [])];
  }
  return ['expired', 'failed', 'refunded', 'cancelled', ...(isGivenBack ? ['underpaid'] : [])];
}

/** Whether any part of an order was refunded. */
export function isGivenBack(order: Order, database: TillDatabase): boolean {
  const own = new Set(membersOf(order).map(({ payment }) => payment.id));
  return database.refunds().some(({ payment_id: id, status }) => own.has(id) && status !== 'failed');
}

/** The open work of the daemon, and its differences from the chain. Empty at the end of a correct round. */
export async function unresolved(stage: Stage, database: TillDatabase): Promise<string[]> {
  const { payments, treasurer, till } = stage;
  const open: string[] = [];
  for (const order of payments.orders) {
    open.push(...(await unresolvedOrder(stage, database, order)));
    if (order.transfers.some(({ where }) => where.kind === 'waiting'))
      open.push(`${order.payment.id}: not in a block`);
  }
  for (const { id, status, purpose } of database.sends()) {
    if (status !== 'confirmed' && status !== 'failed') open.push(`${purpose} ${id}: ${status}`);
  }
  for (const { key, isOver, events } of treasurer.wanted) {
    if (!isOver) open.push(`${key}: not accepted, ${events.at(-1)}`);
  }
  open.push(
    ...database.silentClaims().map((id) => `refund link ${id}: claimed, not sent and no problem named`),
  );
  if (open.length > 0) return open;
  const undelivered = database.undelivered();
  if (undelivered > 0) open.push(`${undelivered} webhooks not delivered`);
  open.push(...(await ledgerDifferences(stage, database)));
  const { body } = await till.api.call('GET', '/readyz');
  if (!body.success) open.push(`readyz: ${JSON.stringify(body.error)}`);
  return open;
}

async function unresolvedOrder({ shop }: Stage, database: TillDatabase, order: Order): Promise<string[]> {
  const members = membersOf(order);
  const received = members.reduce((sum, { payment }) => sum + database.received(payment.id), 0n);
  const paid = paidOnChain(order);
  const states: string[] = [];
  for (const { payment } of members) states.push((await shop.payment(payment.id)).status);
  const resting = restingStates(order, isGivenBack(order, database));
  // Payments that were closed in favour of another one are final, regardless of the money they received.
  const isResting =
    members.length === 1
      ? resting.includes(states[0] ?? '')
      : states.some((state) => resting.includes(state)) &&
        !states.includes('pending') &&
        !states.includes('confirming');
  if (received === paid && isResting) return [];
  const ids = members.map(({ payment }) => payment.id).join('+');
  return [
    `${ids} (${order.plan.kind}): ${states.join('+')}, received ${received}, on the chain ${paid} of ${order.due}`,
  ];
}

/** Addresses whose balance differs between ledger and chain. */
async function ledgerDifferences({ world }: Stage, database: TillDatabase): Promise<string[]> {
  const balances = database.balances(world.coin);
  const chain = await world.balances([...balances.keys()]);
  return [...balances].flatMap(([address, amount]) => {
    const real = chain.get(address) ?? 0n;
    return real === amount ? [] : [`ledger of ${address}: ${amount}, on the chain ${real}`];
  });
}
