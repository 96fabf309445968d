import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { failureResponses, namesAccount } from './errors.ts';
import { requiredScopes } from './scopes.ts';
import type { AuthKind, Route } from '../server/route.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { identifier } from '../schemas/text.ts';

const SECURITY: Readonly<Record<AuthKind, readonly string[]>> = {
  none: [],
  jwt: ['userToken'],
  account: ['userToken', 'secretKey'],
  merchant: ['secretKey', 'userToken'],
  payer: ['publicKey', 'secretKey', 'userToken'],
  // The document lists no such route.
  counter: [],
};

/** A route as an OpenAPI operation, from the schemas that validate it. */
export function operation(route: Route): ZodOpenApiOperationObject {
  const scopes = requiredScopes(route);
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: route.description,
    tags: [...route.tags],
    security: [...listSecurity(route)],
    ...(scopes === null ? {} : { 'x-scope': scopes }),
    requestParams: parameters(route),
    ...(route.body === null
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
    responses: {
      ...successResponses(route),
      ...failureResponses(route),
    },
  };
}

/**
 * Credentials in the recommended order; OpenAPI 3.1 lists the scopes that a role must include next to its
 * name.
 */
function listSecurity(route: Route): Record<string, string[]>[] {
  const scopes = requiredScopes(route);
  return SECURITY[route.auth].flatMap((name) => [
    { [name]: [] },
    ...(name === 'secretKey' && scopes !== null ? [{ restrictedKey: [...scopes] }] : []),
  ]);
}

/** The name of an operation in the document, derived from its method and path. */
export function operationId(route: { readonly method: string; readonly path: string }): string {
  const words = route.path.split(/[/-]/).filter((word) => word !== '');
  const tail = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return route.method.toLowerCase() + tail;
}

/** When a request names a merchant. */
function whenNamed({ auth, namedBy }: Route): string {
  if (auth === 'account')
    return 'For the user token of a member who works for a shop of another account: that shop';
  if (namedBy.length === 0) return 'Required with a user token, here or in the body';
  return `Required with a user token without ${namedBy.join(' or ')}`;
}

function parameters(route: Route): ZodOpenApiOperationObject['requestParams'] {
  const namesMerchant = route.auth === 'merchant' || route.auth === 'payer' || namesAccount(route);
  const merchantId = identifier()
    .optional()
    .meta({
      description: `${whenNamed(route)}; a key names its merchant itself`,
      example: EXAMPLES.merchantId,
    });
  const own = route.query instanceof z.ZodObject ? route.query.shape : {};
  const query = z.object(namesMerchant ? { ...own, merchantId } : own);
  const key = z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({
      description:
        'Any text of your own, printable ASCII. A request repeated with the same key is executed once and returns ' +
        'the first response' +
        (route.idempotency === 'forever'
          ? ', for ever; an error is not stored, so the same key can be used again'
          : ', for 24 hours'),
      example: 'order-1001',
    });
  return {
    ...(Object.keys(query.shape).length > 0 ? { query } : {}),
    ...(route.method === 'POST' ? { header: z.object({ 'Idempotency-Key': key }) } : {}),
  };
}

function successResponses(route: Route): ZodOpenApiOperationObject['responses'] {
  const envelope = z.object({ success: z.literal(true), error: z.null(), data: route.data });
  const headers = {
    'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    ...(route.method === 'GET' || route.auth === 'none' || route.auth === 'jwt'
      ? {}
      : { 'X-Tilld-Ignored-Fields': { $ref: '#/components/headers/X-Tilld-Ignored-Fields' } }),
    ...(route.method === 'POST'
      ? { 'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' } }
      : {}),
  };
  const streamed = Object.fromEntries(
    Object.entries(route.streamsAs ?? {}).map(([type, example]) => [
      type,
      { schema: type === 'application/pdf' ? z.string().meta({ format: 'binary' }) : z.string(), example },
    ]),
  );
  const response = (description: string) => ({
    description,
    headers,
    content: { 'application/json': { schema: envelope }, ...streamed },
  });
  const { repeatAnswers, acceptedAnswers } = route;
  return {
    ...(repeatAnswers === undefined ? {} : { '200': response(repeatAnswers) }),
    [String(route.status) as '200' | '201']: response(route.status === 201 ? 'Created' : 'Success'),
    ...(acceptedAnswers === undefined ? {} : { '202': response(acceptedAnswers) }),
  };
}
