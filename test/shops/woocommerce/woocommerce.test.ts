import { describeShop } from '../_helpers/cases.ts';
import { WooShop } from './driver.ts';

describeShop('WooCommerce', (setup) => WooShop.start(setup));
