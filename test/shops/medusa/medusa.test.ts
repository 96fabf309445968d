import { describeShop } from '../_helpers/cases.ts';
import { onePayment } from '../_helpers/one-payment.ts';
import { MedusaShop } from './driver.ts';

/**
 * Concurrent carts whose sessions Medusa cannot delete leave a placed order with an authorized session that it does not
 * show as captured: rare, and only in random sequences.
 */
const KNOWN_FAULTS = { atRandom: false } as const;

describeShop(
  'Medusa',
  (setup) => MedusaShop.open(setup),
  (world) => onePayment(world, KNOWN_FAULTS),
);
