import { describeShop } from '../_helpers/cases.ts';
import { onePayment } from '../_helpers/one-payment.ts';
import { VendureShop } from './driver.ts';

describeShop('Vendure', (setup) => VendureShop.start(setup), onePayment);
