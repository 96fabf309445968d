import type { Catalogue } from './catalogue.ts';
import { find } from './es/find.ts';
import { forms } from './es/forms.ts';
import { payments } from './es/payments.ts';
import { people } from './es/people.ts';
import { receipts } from './es/receipts.ts';
import { shared } from './es/shared.ts';
import { shop } from './es/shop.ts';
import { wallet } from './es/wallet.ts';

export const es: Catalogue = {
  ...find,
  ...forms,
  ...payments,
  ...people,
  ...receipts,
  ...shared,
  ...shop,
  ...wallet,
};
