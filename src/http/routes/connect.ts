import { z } from 'zod';
import { SCOPES, type Scope } from '../../domain/scopes.ts';
import {
  approveConnect,
  type ApproveConnectDeps,
  deniedUrl,
  exchangeCode,
  type ExchangeCodeDeps,
} from '../../usecases/shops/index.ts';
import type { StoreResult } from '../../usecases/idempotent-result.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { directs, secret } from '../schemas/security-marks.ts';
import { httpUrl, identifier, text, visibleText } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

export type ConnectRoutesDeps = ApproveConnectDeps & ExchangeCodeDeps;

const STATE_MAX = 1024;
const SCOPES_MAX = 500;
const tags = ['Connect'];
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const EXAMPLE = {
  name: 'WooCommerce',
  scopes: 'payments:write refunds:write customers:write events:read webhooks:write',
  redirectUrl: 'https://shop.example/tilld/connected',
  state: 'af0ifjsldkj',
  codeChallenge: CHALLENGE,
};
const REDIRECT = `${EXAMPLE.redirectUrl}?code=Zk3vXyLh7NbA2sE9cW5Rm0QpTj4UgDf8HnVtYxKqPwS&state=${EXAMPLE.state}`;

/** Issues a restricted key to a shop: the owner agrees on the page /connect, the shop exchanges a code. */
export function connectRoutes(deps: ConnectRoutesDeps): Route[] {
  return [requestRoute(deps), approveRoute(deps), tokenRoute(deps)];
}

/** Scopes separated by blanks. */
function scopeText() {
  return text({ max: SCOPES_MAX })
    .transform((value, context) => {
      const scopes = new Set<Scope>();
      for (const word of value.split(/ +/)) {
        const scope = SCOPES.find((known) => known === word);
        if (scope !== undefined) scopes.add(scope);
        else
          context.addIssue({
            code: 'custom',
            message: `names no scope: ${word}`,
            params: { code: 'invalid_value' },
          });
      }
      return [...scopes];
    })
    .meta({ description: 'Scopes, separated by blanks', examples: [EXAMPLE.scopes] });
}

const requestFields = {
  name: visibleText().meta({
    description: 'Name of the requesting shop; becomes the name of the key',
    example: 'WooCommerce',
  }),
  redirectUrl: directs(
    httpUrl().meta({
      description: 'https; plain http on localhost where private webhooks are allowed. Without a fragment',
    }),
  ),
  state: text({ max: STATE_MAX, trim: false }).meta({
    description: 'Any text of the shop; returned unchanged; the shop checks that it is its own',
    example: 'c2Vzc2lvbi00Mg',
  }),
  codeChallenge: z
    .string()
    .regex(/^[\w-]{43}$/, { error: 'must be the base64url of a SHA-256, without padding' })
    .meta({
      description: 'Base64url of the SHA-256 of a random code verifier (RFC 7636, S256)',
      example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    }),
};

function requestRoute(deps: ConnectRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/connect/request',
    summary: 'Check a connect request',
    description:
      'For the page `/connect`: the permissions that the request in the address asks for, and where the owner is ' +
      'redirected after declining. An invalid request is rejected without a redirect.',
    tags,
    auth: 'jwt',
    scope: 'never',
    query: z.object({
      ...requestFields,
      scopes: scopeText().meta({ example: 'payments:write webhooks:write' }),
    }),
    example: {
      query: EXAMPLE,
      data: {
        name: EXAMPLE.name,
        scopes: ['payments:write', 'refunds:write', 'customers:write', 'events:read', 'webhooks:write'],
        redirectUrl: EXAMPLE.redirectUrl,
        redirectHost: 'shop.example',
        deniedUrl: `${EXAMPLE.redirectUrl}?error=access_denied&state=${EXAMPLE.state}`,
      },
    },
    data: z.object({
      name: z.string().meta({ example: 'WooCommerce' }),
      scopes: z.array(z.enum(SCOPES)).meta({ example: ['payments:write', 'webhooks:write'] }),
      redirectUrl: z.string().meta({ example: 'https://shop.example/tilld/connected' }),
      redirectHost: z.string().meta({ example: 'shop.example' }),
      deniedUrl: z
        .string()
        .meta({ example: 'https://shop.example/tilld/connected?error=access_denied&state=c2Vzc2lvbi00Mg' }),
    }),
    status: 200,
    errors: [],
    handler: async ({ query }) => {
      const { name, scopes, redirectUrl } = query;
      const denied = deniedUrl(deps, query);
      return { name, scopes, redirectUrl, redirectHost: new URL(redirectUrl).host, deniedUrl: denied };
    },
  });
}

function approveRoute(deps: ConnectRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/connect/approve',
    summary: 'Agree to a connect request',
    description:
      'Called by the page `/connect` when the owner agrees. Returns where to redirect: `redirectUrl` with `code` ' +
      'and `state`. The code is valid once, for ten minutes.',
    tags,
    auth: 'jwt',
    scope: 'never',
    body: z.object({
      merchantId: identifier().meta({ example: EXAMPLES.merchantId }),
      ...requestFields,
      scopes: z
        .union([scopeText(), z.array(z.enum(SCOPES)).min(1)])
        .meta({ example: ['payments:write', 'webhooks:write'] }),
    }),
    example: {
      body: { merchantId: '7b1d9e0c-52a4-4b7e-8f3a-2d5c9a6e1b40', ...EXAMPLE },
      data: { redirectTo: REDIRECT },
    },
    data: z.object({
      redirectTo: secret(z.string()).meta({
        example:
          'https://shop.example/tilld/connected?code=Zk3vXyLh7NbA2sE9cW5Rm0QpTj4UgDf8HnVtYxKqPwS&state=c2Vzc2lvbi00Mg',
      }),
    }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'INVALID_STATE'],
    handler: async ({ auth, body, storeAnswer }) => {
      const input = { ...body, userId: auth.userId };
      const storeResult: StoreResult<string> = (tx, redirectTo) => storeAnswer(tx, { redirectTo });
      return { redirectTo: await approveConnect(deps, input, storeResult) };
    },
  });
}

function tokenRoute(deps: ConnectRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/connect/token',
    summary: 'Exchange a code for a key',
    description:
      'The shop calls this from its server. The first use consumes the code, with the right verifier or a wrong ' +
      'one. `key` is a restricted key with the scopes that the owner agreed to, shown only once; `webhookSecret` ' +
      'is null without the scope `webhooks:write`.',
    tags,
    auth: 'none',
    scope: 'never',
    body: z.object({
      code: text().meta({ example: 'Zk3vXyLh7NbA2sE9cW5Rm0QpTj4UgDf8HnVtYxKqPwS' }),
      codeVerifier: text({ trim: false }).meta({
        description: 'What `codeChallenge` is the SHA-256 of: 43 to 128 random characters',
        example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      }),
    }),
    example: {
      body: {
        code: 'Zk3vXyLh7NbA2sE9cW5Rm0QpTj4UgDf8HnVtYxKqPwS',
        codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
      data: {
        merchantId: '7b1d9e0c-52a4-4b7e-8f3a-2d5c9a6e1b40',
        key: 'rk_7Kq2D0RmLw9Hc5sYp4VbNxTz8ZtQ1mWc6Rk3vXy9sXc',
        scopes: ['payments:write', 'refunds:write', 'customers:write', 'events:read', 'webhooks:write'],
        publicKey: 'pk_4fJ8sKq3ZtY0uPbE7xM2jHn6Vd1sXcW9fLk5RmQvTzA',
        webhookSecret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0kJ2uQ3m9cE=',
      },
    },
    data: z.object({
      merchantId: z.string().meta({ example: EXAMPLES.merchantId }),
      key: secret(z.string()).meta({ example: 'rk_7Kq2D0RmLw9Hc5sYp4VbNxTz8ZtQ1mWc6Rk3vXy9sXc' }),
      scopes: z.array(z.enum(SCOPES)).meta({ example: ['payments:write', 'webhooks:write'] }),
      publicKey: z.string().meta({ example: EXAMPLES.publicKey }),
      webhookSecret: secret(z.string()).nullable().meta({ example: EXAMPLES.webhookSecret }),
    }),
    status: 200,
    errors: ['INVALID_CODE', 'INVALID_STATE'],
    handler: async ({ body, storeAnswer }) => exchangeCode(deps, body, storeAnswer),
  });
}
