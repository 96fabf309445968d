import { describeShop } from '../_helpers/cases.ts';
import { MedusaShop } from './driver.ts';

describeShop('Medusa', (setup) => MedusaShop.open(setup));
