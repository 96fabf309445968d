import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { ErrorCode } from '../domain/errors.ts';
import { ERROR_STATUS } from './error-status.ts';
import { isSignIn } from './rate-limit.ts';
import type { AuthKind, Route } from './route.ts';
import { identifier } from './schemas/text.ts';

const problem = z.object({
  field: z.string().meta({ description: 'Path of the field, such as email or items[0].amount' }),
  code: z.string(),
  message: z.string(),
});

const SECURITY: Readonly<Record<AuthKind, readonly string[]>> = {
  none: [],
  jwt: ['userToken'],
  account: ['userToken', 'secretKey'],
  merchant: ['secretKey', 'userToken'],
  payer: ['publicKey', 'secretKey', 'userToken'],
};

const SCHEMES = {
  userToken: bearer('JWT', 'User token from /auth/register or /auth/login, valid for 24 hours'),
  secretKey: bearer('sk_…', "A merchant's secret key. Never use it client-side"),
  publicKey: bearer('pk_…', "A merchant's public key, safe for client-side code"),
};

function bearer(bearerFormat: string, description: string) {
  return { type: 'http' as const, scheme: 'bearer', bearerFormat, description };
}

/** The OpenAPI 3.1 document of these routes, from the same definitions that serve them. */
export function createOpenApi(
  routes: readonly Route[],
  info: { readonly version: string; readonly baseUrl: string },
): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'tilld',
      version: info.version,
      description: 'Cryptocurrency payments on your own nodes: Bitcoin, Litecoin, Ethereum and Solana.',
    },
    servers: [{ url: info.baseUrl }],
    paths,
    components: { securitySchemes: SCHEMES },
  });
}

function operation(route: Route): ZodOpenApiOperationObject {
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: route.description,
    tags: [...route.tags],
    security: SECURITY[route.auth].map((name) => ({ [name]: [] })),
    requestParams: parameters(route),
    ...(route.body === null
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
    responses: responses(route),
  };
}

function operationId(route: Route): string {
  const words = route.path.split(/[/-]/).filter((word) => word !== '');
  const tail = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return route.method.toLowerCase() + tail;
}

function parameters(route: Route): ZodOpenApiOperationObject['requestParams'] {
  const namesMerchant = route.auth === 'merchant' || route.auth === 'payer';
  const merchantId = identifier().optional().meta({
    description: 'Required with a user token, here or in the body; a key names its merchant itself',
  });
  const own = route.query instanceof z.ZodObject ? route.query.shape : {};
  const query = z.object(namesMerchant ? { merchantId, ...own } : own);
  const key = z
    .string()
    .optional()
    .meta({ description: '1 to 255 characters. The same request again answers as the first did' });
  return {
    ...(Object.keys(query.shape).length > 0 ? { query } : {}),
    ...(route.method === 'POST' ? { header: z.object({ 'Idempotency-Key': key }) } : {}),
  };
}

function responses(route: Route): ZodOpenApiResponsesObject {
  const envelope = z.object({ success: z.literal(true), error: z.null(), data: route.data });
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodes(route)) {
    byStatus.set(ERROR_STATUS[code], [...(byStatus.get(ERROR_STATUS[code]) ?? []), code]);
  }
  const failures = [...byStatus].map(([status, codes]) => [String(status), failureResponse(status, codes)]);
  return {
    [String(route.status)]: {
      description: 'Success',
      content: { 'application/json': { schema: envelope } },
    },
    ...Object.fromEntries(failures),
  };
}

function failureResponse(status: number, codes: readonly ErrorCode[]) {
  const error = z.object({
    status: z.literal(status),
    code: z.enum(codes),
    message: z.string(),
    details: z.array(problem).optional(),
  });
  const schema = z.object({ success: z.literal(false), error, data: z.null() });
  return { description: codes.join(', '), content: { 'application/json': { schema } } };
}

/** Every code a route can answer: its own and those that come with what it takes. */
function errorCodes(route: Route): ReadonlySet<ErrorCode> {
  const codes = new Set<ErrorCode>(route.errors);
  if (route.auth !== 'none') codes.add('UNAUTHORISED');
  if (route.auth === 'merchant' || route.auth === 'payer') {
    codes.add('VALIDATION_INVALID').add('MERCHANT_NOT_FOUND');
  }
  if (route.body !== null || route.query !== null) codes.add('VALIDATION_INVALID');
  if (route.method !== 'GET') codes.add('VALIDATION_INVALID').add('PAYLOAD_TOO_LARGE');
  if (route.method === 'POST') codes.add('IDEMPOTENCY_MISMATCH').add('IDEMPOTENCY_IN_FLIGHT');
  if (isSignIn(route)) codes.add('RATE_LIMITED');
  return codes.add('INTERNAL_ERROR');
}
