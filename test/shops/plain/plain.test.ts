import { describeShop } from '../_helpers/cases.ts';
import { PlainShop } from './shop.ts';

describeShop('a plain shop', async (setup) => {
  const shop = new PlainShop(setup);
  await shop.start();
  return shop;
});
