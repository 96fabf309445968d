import { describeShop } from '../_helpers/cases.ts';
import { onePayment } from '../_helpers/one-payment.ts';
import { WooShop } from './driver.ts';

describeShop('WooCommerce', (setup) => WooShop.start(setup), onePayment);
