import { grants, SCOPES, type Scope } from './scopes.ts';

/** The relation of a person to a shop: its owner, who created it, or a member invited by the owner. */
export const ROLES = ['owner', 'manager', 'clerk', 'bookkeeper'] as const;
export type Role = (typeof ROLES)[number];

/** Roles that can be given to others. */
export const MEMBER_ROLES = ['manager', 'clerk', 'bookkeeper'] as const satisfies readonly Role[];
export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * Roles are sets of the scopes that restricted keys have. Only the owner sends coins, so a manager's refund
 * link waits for the owner's approval.
 */
const SCOPES_OF: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: new Set(SCOPES),
  manager: new Set(SCOPES.filter((scope) => scope !== 'wallet:send')),
  clerk: new Set<Scope>(['payments:write', 'customers:read', 'catalog:read']),
  bookkeeper: new Set<Scope>([
    'payments:read',
    'customers:read',
    'catalog:read',
    'subscriptions:read',
    'wallet:read',
  ]),
};

/** The scopes of a role. */
export function roleScopes(role: Role): ReadonlySet<Scope> {
  return SCOPES_OF[role];
}

/** Whether a role includes a scope: a `write` scope includes the `read` scope of the same kind. */
export function roleGrants(role: Role, scope: Scope): boolean {
  return grants(SCOPES_OF[role], scope);
}
