import { describeShop } from '../_helpers/cases.ts';
import { onePayment } from '../_helpers/one-payment.ts';
import { MedusaShop } from './driver.ts';

/**
 * A cart whose payment session was replaced does not always follow the money of an earlier one: no second payment is asked
 * for, but the order is not placed.
 */
const KNOWN_FAULTS = { atRandom: false } as const;

describeShop(
  'Medusa',
  (setup) => MedusaShop.open(setup),
  (world) => onePayment(world, KNOWN_FAULTS),
);
