import { z } from 'zod';
import type { SecretBox } from '../../domain/keys.ts';
import { AUDIT_SUBJECTS } from '../../store/audit-log.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { type AuditEntry, readAudit } from '../../usecases/shops/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { integerQuery } from '../schemas/query.ts';
import { identifier, text } from '../schemas/text.ts';

export interface AuditRoutesDeps {
  readonly db: Db;
  readonly secretBox: SecretBox;
}

const LIMIT_MAX = 100;
const LIMIT = 50;
const tags = ['People'];
const common = {
  method: 'GET',
  tags,
  auth: 'jwt',
  scope: 'never',
  dashboardOnly: true,
  status: 200,
} as const;

const page = {
  before: integerQuery({ min: 1, max: Number.MAX_SAFE_INTEGER }).optional(),
  limit: integerQuery({ min: 1, max: LIMIT_MAX }).optional(),
};

const data = z.object({
  entries: z.array(
    z.object({
      id: z.int(),
      at: timestamp(),
      actor: z.object({
        kind: z.enum(['user', 'secret', 'restricted', 'counter', 'operator', 'daemon']),
        id: z.string(),
        name: z.string(),
      }),
      action: z.string().meta({ description: 'Method and path' }),
      objectId: z.string().nullable(),
      address: z.string(),
      userAgent: z.string(),
      result: z
        .string()
        .nullable()
        .meta({ description: '`OK` or an error code; null: in progress, or the result is not known' }),
    }),
  ),
  next: z.int().nullable().meta({ description: '`before` of the next page; null on the last' }),
});

/** The audit log: of a shop for its owner, of the account for its user. For the dashboard's pages. */
export function auditRoutes(deps: AuditRoutesDeps): Route[] {
  return [
    defineRoute({
      ...common,
      path: '/merchant/audit',
      summary: 'The audit log of a shop',
      description: 'Changes by people, and actions of keys that move money or return secrets; newest first.',
      query: z.object({
        ...page,
        merchantId: identifier(),
        actorId: identifier().optional(),
        action: text().optional(),
        about: z.enum(AUDIT_SUBJECTS).optional().meta({
          description: '`money`: sends, refunds, limits, forwards, watched accounts and freezes only',
        }),
      }),
      data,
      errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN'],
      handler: async ({ auth, query: { limit = LIMIT, ...query } }) =>
        toPage(await readAudit(deps, { ...query, userId: auth.userId, limit: limit + 1 }), limit),
    }),
    defineRoute({
      ...common,
      path: '/auth/audit',
      summary: 'The audit log of the account',
      description: 'Changes of the user outside of shops, and sign-ins; newest first.',
      query: z.object(page),
      data,
      errors: [],
      handler: async ({ auth, query: { limit = LIMIT, ...query } }) =>
        toPage(await readAudit(deps, { ...query, userId: auth.userId, limit: limit + 1 }), limit),
    }),
  ];
}

function toPage(found: readonly AuditEntry[], limit: number) {
  const entries = found.slice(0, limit).map(({ at, ...entry }) => ({ ...entry, at: isoTime(at) }));
  return { entries, next: found.length > limit ? (entries.at(-1)?.id ?? null) : null };
}
