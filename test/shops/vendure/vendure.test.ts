import { describeShop } from '../_helpers/cases.ts';
import { VendureShop } from './driver.ts';

describeShop('Vendure', (setup) => VendureShop.start(setup));
