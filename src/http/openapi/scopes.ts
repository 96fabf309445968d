import { SCOPES, type Scope } from '../../domain/scopes.ts';
import type { Route } from '../server/route.ts';

/** The permissions of each scope, for readers. */
export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'payments:read': 'read payments, their totals and exports, and refund links',
  'payments:write': 'create, change, cancel and resolve payments and payment links; simulate in the sandbox',
  'refunds:write':
    'open refund links; their claims wait for approval, which needs `wallet:send` as a direct refund does',
  'customers:read': 'read customers',
  'customers:write': 'create, edit and erase customers of the account',
  'catalog:read': 'read products and prices',
  'catalog:write': 'create, edit and delete products and prices',
  'subscriptions:read': 'read subscriptions and their invoices',
  'subscriptions:write': 'create, edit, pause, resume, cancel and credit subscriptions',
  'webhooks:read': 'read webhook logs and endpoints',
  'webhooks:write': 'test and resend webhooks; manage endpoints and signing secrets',
  'events:read': 'read events',
  'wallet:read': 'read balances, addresses, transactions and fees',
  'wallet:send': 'send coins to any address, and pay refunds out: everything the wallet holds',
};

/** The scopes as a list in Markdown. */
export function scopeList(): string {
  return SCOPES.map((scope) => `- \`${scope}\`: ${SCOPE_TEXTS[scope]}`).join('\n');
}

/** All scopes that a restricted key needs for a route; null if no restricted key may call it. */
export function requiredScopes({ auth, scope }: Pick<Route, 'auth' | 'scope'>): readonly Scope[] | null {
  if (scope === 'never' || auth === 'none' || auth === 'jwt') return null;
  if (scope === 'any') return [];
  return typeof scope === 'string' ? [scope] : scope;
}
