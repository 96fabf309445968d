/** Permissions that a restricted key can have. */
export const SCOPES = [
  'payments:read',
  'payments:write',
  'refunds:write',
  'customers:read',
  'customers:write',
  'catalog:read',
  'catalog:write',
  'subscriptions:read',
  'subscriptions:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'wallet:read',
  'wallet:send',
] as const;

export type Scope = (typeof SCOPES)[number];

const KNOWN: ReadonlySet<string> = new Set(SCOPES);

function isScope(text: string): text is Scope {
  return KNOWN.has(text);
}

/** Whether granted scopes include a scope: a `write` scope includes the `read` scope of the same kind. */
export function grants(granted: ReadonlySet<Scope>, needed: Scope): boolean {
  if (granted.has(needed)) return true;
  const write = needed.replace(/:read$/, ':write');
  return isScope(write) && granted.has(write);
}

/** Scopes as stored: separated by spaces, in list order. */
export function scopesToText(scopes: readonly Scope[]): string {
  const chosen = new Set(scopes);
  return SCOPES.filter((scope) => chosen.has(scope)).join(' ');
}

/** Parses stored scopes; a scope unknown to this version grants nothing. */
export function scopesFromText(text: string): Scope[] {
  return text.split(' ').filter(isScope);
}
