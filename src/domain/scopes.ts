/** What a restricted key can be allowed to do. */
const SCOPES = [
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
