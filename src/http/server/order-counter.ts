import { Counter, type Registry } from 'prom-client';
import type { Mode } from '../../domain/coins.ts';
import type { AuthOf } from './route.ts';

/** Called for each new order with the kind of its credential. */
export type CountOrder = (order: {
  readonly via: AuthOf['payer']['via'] | 'link' | 'counter' | 'renewal';
  readonly mode: Mode;
}) => void;

/** Counts new orders, so that a flood shows the kind of key that causes it. The key itself is not a label. */
export function createOrderCounter(registry: Registry): CountOrder {
  const orders = new Counter({
    name: 'tilld_orders_created_total',
    help: 'New payments by what made them: a public, secret or restricted key, a user token (jwt), a payment link, a counter, or a payer who renewed an expired one (renewal)',
    labelNames: ['via', 'mode'] as const,
    registers: [registry],
  });
  return (order) => orders.inc(order);
}
