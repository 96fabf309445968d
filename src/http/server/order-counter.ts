import { Counter, type Registry } from 'prom-client';
import type { Mode } from '../../domain/coins.ts';
import type { AuthOf } from './route.ts';

/** Told of each new order, and by what kind of credential it was made. */
export type CountOrder = (order: {
  readonly via: AuthOf['payer']['via'] | 'link' | 'renewal';
  readonly mode: Mode;
}) => void;

/** Counts new orders: a flood of them shows by the kind of key that makes it. The key itself is no label. */
export function createOrderCounter(registry: Registry): CountOrder {
  const orders = new Counter({
    name: 'tilld_orders_created_total',
    help: 'New payments by what made them: a public, secret or restricted key, a user token (jwt), a payment link, or a payer who renewed an expired one (renewal)',
    labelNames: ['via', 'mode'] as const,
    registers: [registry],
  });
  return (order) => orders.inc(order);
}
