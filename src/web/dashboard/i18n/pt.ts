import type { Catalogue } from './catalogue.ts';
import { find } from './pt/find.ts';
import { forms } from './pt/forms.ts';
import { payments } from './pt/payments.ts';
import { people } from './pt/people.ts';
import { receipts } from './pt/receipts.ts';
import { shared } from './pt/shared.ts';
import { shop } from './pt/shop.ts';
import { wallet } from './pt/wallet.ts';

export const pt: Catalogue = {
  ...find,
  ...forms,
  ...payments,
  ...people,
  ...receipts,
  ...shared,
  ...shop,
  ...wallet,
};
