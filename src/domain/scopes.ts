/** What a restricted key can be allowed to do. */
export const SCOPES = [
  'payments:read',
  'payments:write',
  'refunds:write',
  'customers:read',
  'customers:write',
  'catalog:read',
  'catalog:write',
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

/** Whether granted scopes include one: a `write` scope includes the `read` scope of the same kind. */
export function grants(granted: ReadonlySet<Scope>, needed: Scope): boolean {
  if (granted.has(needed)) return true;
  const write = needed.replace(/:read$/, ':write');
  return isScope(write) && granted.has(write);
}

/** Scopes as stored: separated by blanks, in the order of the list. */
export function scopesToText(scopes: readonly Scope[]): string {
  const chosen = new Set(scopes);
  return SCOPES.filter((scope) => chosen.has(scope)).join(' ');
}

/** Scopes as stored; a scope that this version does not know grants nothing. */
export function scopesFromText(text: string): Scope[] {
  return text.split(' ').filter(isScope);
}
