import { describeShop } from '../_helpers/cases.ts';
import { onePayment } from '../_helpers/one-payment.ts';
import { MedusaShop } from './driver.ts';

/**
 * Two requests at once for a payment session of one cart: Medusa deletes the sessions of each other, and the one of the
 * payment that has the money can be among them. No second payment is asked for, but the order waits for the shopkeeper.
 */
const PLATFORM_FAULTS = { without: ['double'] } as const;

describeShop(
  'Medusa',
  (setup) => MedusaShop.open(setup),
  (world) => onePayment(world, PLATFORM_FAULTS),
);
