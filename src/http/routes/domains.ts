import { z } from 'zod';
import { VERIFICATION_METHODS } from '../../domain/domain-verification.ts';
import { checkDomain, type CheckDomainDeps, chooseVerification } from '../../usecases/shops/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { identifier } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const tags = ['Merchants'];

/** Verification of the merchant's domain. */
export function domainRoutes(deps: CheckDomainDeps): Route[] {
  return [chooseRoute(deps), checkRoute(deps)];
}

function chooseRoute(deps: CheckDomainDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/verify-domain',
    summary: 'Choose how to verify the domain',
    description:
      'Returns the record to publish; the token is the same for all methods. The domain is then checked every few ' +
      'minutes for three days, daily for a month, and at once with /merchant/verify-domain/check.',
    tags,
    auth: 'account',
    scope: 'never',
    body: z.object({
      merchantId: identifier().meta({ example: EXAMPLES.merchantId }),
      method: z.enum(VERIFICATION_METHODS),
    }),
    data: z.object({
      verification: z.object({
        method: z.enum(VERIFICATION_METHODS),
        instructions: z.string().meta({
          example:
            'Publish a TXT record at _tilld-challenge.shop.example with the value token=tv_Hc5sYp4VbNx7KqTz2D0RmLw9',
        }),
        token: z.string().meta({ example: EXAMPLES.verificationToken }),
      }),
    }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND'],
    handler: async ({ auth, body }) => ({
      verification: await chooseVerification(deps, { ...body, userId: auth.userId }),
    }),
  });
}

function checkRoute(deps: CheckDomainDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/verify-domain/check',
    summary: 'Check the domain now',
    description:
      'Checks the proof of the chosen method. A verified domain is checked daily and revoked after three failures ' +
      'over 72 hours; until then it stays verified, and `lastError` shows the failure.',
    tags,
    auth: 'account',
    scope: 'never',
    body: z.object({ merchantId: identifier().meta({ example: EXAMPLES.merchantId }) }),
    data: z.object({
      verification: z.object({
        verified: z.boolean(),
        method: z.enum(VERIFICATION_METHODS),
        checkedAt: timestamp().nullable(),
        lastError: z.string().nullable().meta({ example: null }),
      }),
    }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'INVALID_STATE', 'RATE_LIMITED'],
    handler: async ({ auth, body }) => {
      const { checkedAt, ...found } = await checkDomain(deps, { ...body, userId: auth.userId });
      return { verification: { ...found, checkedAt: checkedAt === null ? null : isoTime(checkedAt) } };
    },
  });
}
