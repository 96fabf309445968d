import type { Catalogue } from './catalogue.ts';
import { find } from './fr/find.ts';
import { forms } from './fr/forms.ts';
import { payments } from './fr/payments.ts';
import { people } from './fr/people.ts';
import { receipts } from './fr/receipts.ts';
import { shared } from './fr/shared.ts';
import { shop } from './fr/shop.ts';
import { wallet } from './fr/wallet.ts';

export const fr: Catalogue = {
  ...find,
  ...forms,
  ...payments,
  ...people,
  ...receipts,
  ...shared,
  ...shop,
  ...wallet,
};
