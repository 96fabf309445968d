import { parseCoinAmount } from '../../../src/domain/money.ts';
import type { PaymentJson } from '../../../test/_helpers/api-client.ts';
import type { Order } from '../payments.ts';
import type { Stage } from '../stage.ts';
import type { TillDatabase } from '../till-database.ts';

/** Underpayment that counts as paid in full, in ten-thousandths. */
const TOLERANCE = 50n;
const WHOLE = 10_000n;

/** Whether a sum is the price, or little enough below it. */
export function coversPrice(sum: bigint, due: bigint): boolean {
  return sum * WHOLE >= due * (WHOLE - TOLERANCE);
}

/** What an order's payers really paid, as far as it is on the best chain. */
export function paidOnChain({ transfers }: Order): bigint {
  return transfers
    .filter(({ where }) => where.kind === 'mined')
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** The states in which a payment may rest, by what is on the chain. */
export function restingStates(order: Order): readonly string[] {
  const paid = paidOnChain(order);
  if (coversPrice(paid, order.due)) return ['completed', 'refunded'];
  if (paid > 0n) {
    const isLate = order.plan.kind === 'late';
    return isLate ? ['expired', 'failed', 'underpaid', 'refunded'] : ['underpaid', 'expired', 'refunded'];
  }
  return ['expired', 'failed', 'refunded'];
}

/** What the till does not know yet, or knows otherwise than the chain has it. Empty at rest. */
export async function unresolved(stage: Stage, database: TillDatabase): Promise<string[]> {
  const { world, shop, payments, treasurer, till } = stage;
  const open: string[] = [];
  for (const order of payments.orders) {
    const payment = await shop.payment(order.payment.id);
    const problem = unresolvedPayment(order, payment, world.coin);
    if (problem !== null) open.push(problem);
    if (order.transfers.some(({ where }) => where.kind === 'waiting'))
      open.push(`${payment.id}: in no block`);
  }
  for (const { id, status, purpose } of database.sends()) {
    if (status === 'signed' || status === 'broadcast') open.push(`${purpose} ${id}: ${status}`);
  }
  for (const { key, isOver, told } of treasurer.wanted) {
    if (!isOver) open.push(`${key}: not taken, ${told.at(-1)}`);
  }
  if (open.length > 0) return open;
  const undelivered = database.undelivered();
  if (undelivered > 0) open.push(`${undelivered} webhooks not delivered`);
  open.push(...(await ledgerDifferences(stage, database)));
  const { body } = await till.api.call('GET', '/readyz');
  if (!body.success) open.push(`readyz: ${JSON.stringify(body.error)}`);
  return open;
}

function unresolvedPayment(order: Order, payment: PaymentJson, coin: Stage['world']['coin']): string | null {
  const received = parseCoinAmount(payment.options[coin].received, coin);
  const paid = paidOnChain(order);
  if (received === paid && restingStates(order).includes(payment.status)) return null;
  return `${payment.id} (${order.plan.kind}): ${payment.status}, received ${received}, on the chain ${paid} of ${order.due}`;
}

/** Addresses of which ledger and chain say different things. */
async function ledgerDifferences({ world }: Stage, database: TillDatabase): Promise<string[]> {
  const held = database.held(world.coin);
  const chain = await world.balances([...held.keys()]);
  return [...held].flatMap(([address, amount]) => {
    const real = chain.get(address) ?? 0n;
    return real === amount ? [] : [`ledger of ${address}: ${amount}, on the chain ${real}`];
  });
}
