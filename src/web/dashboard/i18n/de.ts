import type { Catalogue } from './catalogue.ts';
import { find } from './de/find.ts';
import { forms } from './de/forms.ts';
import { payments } from './de/payments.ts';
import { people } from './de/people.ts';
import { receipts } from './de/receipts.ts';
import { shared } from './de/shared.ts';
import { shop } from './de/shop.ts';
import { wallet } from './de/wallet.ts';

export const de: Catalogue = {
  ...find,
  ...forms,
  ...payments,
  ...people,
  ...receipts,
  ...shared,
  ...shop,
  ...wallet,
};
