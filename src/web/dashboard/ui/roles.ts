import type { MemberRole } from '../api/people.ts';
import { t } from '../i18n/t.ts';

/** The label of a role, and a description of its permissions. */
export const ROLES = {
  manager: {
    name: t('Manager'),
    does: t('Runs the shop: payments, links, customers, products, webhooks. Refunds wait for you.'),
  },
  clerk: {
    name: t('Clerk'),
    does: t('Makes payments and payment links. Sees no wallet and no settings.'),
  },
  bookkeeper: {
    name: t('Bookkeeper'),
    does: t('Reads payments, customers and the wallet, and exports. Changes nothing.'),
  },
} as const satisfies Record<MemberRole, { name: string; does: string }>;

export const MEMBER_ROLES = Object.keys(ROLES) as MemberRole[];

export function roleName(role: string): string {
  return Object.hasOwn(ROLES, role) ? ROLES[role as MemberRole].name : t('Owner');
}
