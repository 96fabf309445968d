import { describeShop } from '../_helpers/cases.ts';
import { onePayment } from '../_helpers/one-payment.ts';
import { MedusaShop } from './driver.ts';

/** A cart that is changed while its session is being paid: mended for the known sequences, not proven for random ones. */
const KNOWN_FAULTS = { atRandom: false } as const;

describeShop(
  'Medusa',
  (setup) => MedusaShop.open(setup),
  (world) => onePayment(world, KNOWN_FAULTS),
);
