import { describeShop } from '../_helpers/cases.ts';
import { onePayment } from '../_helpers/one-payment.ts';
import { MedusaShop } from './driver.ts';

describeShop('Medusa', (setup) => MedusaShop.open(setup), onePayment);
