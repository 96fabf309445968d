import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../domain/errors.ts';
import { unauthorised } from '../../domain/unauthorised.ts';
import { ACCEPTED_TEXTS } from '../server/credential-kinds.ts';
import { ERROR_STATUS } from '../server/error-status.ts';
import { unknownIdCodes } from '../server/named-merchant.ts';
import { isUnauthenticatedCreate, isSignIn, rateLimitBucket } from '../server/rate-limit.ts';
import type { AuthKind, Route } from '../server/route.ts';
import type { Example, JsonSchema, Reference, ResponseObject } from './types.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

/** Every code that a route can return: its own and those of its parameters and credentials. */
export function documentedErrors(route: Route): ReadonlySet<ErrorCode> {
  const codes = new Set<ErrorCode>(route.errors);
  if (route.auth !== 'none') codes.add('UNAUTHORISED');
  if (route.auth === 'merchant' || route.auth === 'payer') {
    codes.add('VALIDATION_INVALID').add('MERCHANT_NOT_FOUND');
  }
  for (const code of unknownIdCodes(route)) codes.add(code);
  if (namesAccount(route)) codes.add('VALIDATION_INVALID').add('MERCHANT_NOT_FOUND');
  if (takesKeys(route) && route.scope !== 'any') codes.add('FORBIDDEN');
  if (route.body !== null || route.query !== null) codes.add('VALIDATION_INVALID');
  if (route.method !== 'GET') codes.add('VALIDATION_INVALID').add('PAYLOAD_TOO_LARGE');
  if (route.method === 'POST') codes.add('IDEMPOTENCY_MISMATCH').add('IDEMPOTENCY_IN_FLIGHT');
  if (route.method !== 'GET') codes.add('DATABASE_UNAVAILABLE');
  if (
    isSignIn(route) ||
    isUnauthenticatedCreate(route) ||
    (route.auth === 'payer' && rateLimitBucket(route, '') !== null)
  ) {
    codes.add('RATE_LIMITED');
  }
  return codes.add('INTERNAL_ERROR');
}

/** Whether an account route accepts `merchantId` in its query, which selects the account. */
export function namesAccount({ auth, body }: Route): boolean {
  return auth === 'account' && !(body instanceof z.ZodObject && 'merchantId' in body.shape);
}

/** Whether a route accepts a secret key: then a restricted key is valid, but may lack the scope. */
function takesKeys({ auth }: Route): boolean {
  return auth === 'account' || auth === 'merchant' || auth === 'payer';
}

/** The meaning of each code for an integrator, and a sample message. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, readonly [meaning: string, message: string]>> = {
  UNAUTHORISED: [
    'The credential is not accepted. `details` names `authorization` with the cause: `missing`, `malformed`, `unknown`, `expired` (also revoked) or `wrong_kind`',
    'The credential has expired or was revoked',
  ],
  INVALID_CREDENTIALS: ['Email or password is wrong', 'Wrong email or password'],
  SECOND_FACTOR_REQUIRED: [
    'The password is right and this user also needs a code: send it as well',
    'A code of your second factor is required',
  ],
  FORBIDDEN: [
    'A restricted key without the required scope; the message and details name it',
    'This key lacks the scope wallet:send',
  ],
  STEP_UP_REQUIRED: [
    'The dashboard session must be confirmed again (step-up) before money moves; keys and user tokens never get ' +
      'this',
    'Confirm with your password first',
  ],
  RATE_LIMITED: [
    'Too many attempts, payments created with a public key from this address, or waiting requests; Retry-After ' +
      'says when to retry',
    'Too many attempts: try again in a minute',
  ],
  CUSTOMER_NOT_FOUND: ['The account has no such customer', 'No such customer'],
  MERCHANT_NOT_FOUND: ['The account has no such merchant', 'Merchant not found'],
  PRODUCT_NOT_FOUND: ['The account has no such product', 'No such product'],
  PRICE_NOT_FOUND: ['No such price, or it is deleted, inactive or of another product', 'No such price'],
  PAYMENT_NOT_FOUND: ['The merchant has no such payment', 'No such payment'],
  PAYMENT_LINK_NOT_FOUND: ['The merchant has no such payment link', 'No such payment link'],
  COUNTER_NOT_FOUND: ['The merchant has no such counter', 'No such counter'],
  SUBSCRIPTION_NOT_FOUND: ['The merchant has no such subscription', 'No such subscription'],
  SEND_NOT_FOUND: ['The merchant has no such send', 'No such send'],
  WATCH_NOT_FOUND: ['The merchant has no such watched account in this mode', 'No such account'],
  LINK_NOT_FOUND: ['The merchant has no such link', 'No such refund link'],
  LOG_NOT_FOUND: ['The merchant has no such webhook log', 'No such webhook log'],
  INVALID_CODE: [
    'The code of a connect request is wrong, used or expired, or the verifier is wrong: ask the owner again',
    'The code is wrong, was used before, or is older than ten minutes',
  ],
  SESSION_NOT_FOUND: [
    'The user has no such session of the dashboard',
    'No such session: it has ended already',
  ],
  PASSKEY_NOT_FOUND: ['The user has no such passkey', 'No such passkey'],
  PERSON_NOT_FOUND: ['The shop has no such member', 'No such member of this shop'],
  INVITATION_NOT_FOUND: [
    'The shop has no such open invitation',
    'No such invitation: it was accepted or withdrawn already',
  ],
  KEY_NOT_FOUND: ['The merchant has no such restricted key', 'No such restricted key'],
  ENDPOINT_NOT_FOUND: ['The merchant has no such webhook endpoint', 'No such webhook endpoint'],
  DUPLICATE_ENTRY: [
    'A unique value already exists; details names the field and, where you may read it, the id of the existing ' +
      'object',
    'A customer with this email already exists',
  ],
  INSUFFICIENT_BALANCE: [
    'The wallet cannot spend that much now; the message says what it can',
    'Insufficient balance: 0.01 BTC is available',
  ],
  VALIDATION_INVALID: [
    'A field is missing or wrong; details names every one',
    'email must be an e-mail address',
  ],
  INVALID_STATE: ['The current state of the object forbids this', 'The payment is completed'],
  FEE_ABOVE_LIMIT: [
    'The network fee would be above the limit set for it; nothing was signed',
    'the fee of 0.0002 BTC is above the limit of 0.0001 BTC',
  ],
  WALLET_FROZEN: [
    'The wallet is frozen: nothing is signed until its owner unfreezes it. Repeat the request then',
    'the wallet is frozen since 2026-11-28T12:00:00.000Z (a key was stolen): nothing is signed until unfrozen',
  ],
  APPROVAL_REQUIRED: [
    'The send is above a limit of the wallet or of the key; nothing was signed',
    'this send needs an approval: it is above the limit per send',
  ],
  SEND_REJECTED: [
    'The node refused the transaction for good, or this Idempotency-Key is that of a send that was not signed in time; nothing was sent',
    'The network refused this transaction',
  ],
  REGISTRATION_CLOSED: ['Registration is closed on this server', 'Registration is closed on this server'],
  EMAIL_UNCONFIRMED: [
    'The address of the account is not confirmed, and this server sends mails',
    'Confirm your email address first: open the link that was mailed to it',
  ],
  NOT_FOUND: ['No such path', 'There is nothing at this address'],
  METHOD_NOT_ALLOWED: ['The path accepts other methods; Allow lists them', 'This path accepts POST only'],
  REQUEST_TIMEOUT: [
    'The headers or the body came too slowly: send the request again',
    'The request did not arrive in time',
  ],
  PAYLOAD_TOO_LARGE: ['The request body is larger than 100 kB', 'The request body is too large'],
  HEADERS_TOO_LARGE: [
    'The address and headers together are larger than 16 kB',
    'The address and headers of the request are too large',
  ],
  IDEMPOTENCY_MISMATCH: [
    'This Idempotency-Key was used with another request',
    'This Idempotency-Key was used with another request',
  ],
  IDEMPOTENCY_IN_FLIGHT: [
    'The first request with this Idempotency-Key is still running: retry',
    'A request with this Idempotency-Key is still being handled',
  ],
  RATE_UNAVAILABLE: ['No current price is known', 'No current price of BTC in USD is known; try again later'],
  NODE_UNAVAILABLE: ['The coin’s node does not respond now: try again later', 'The BTC node does not answer'],
  COIN_UNAVAILABLE: [
    'This server does not run the coin in this mode, or the list of addresses of its orders has no address left',
    'None of the allowed coins is configured on this server',
  ],
  DATABASE_UNAVAILABLE: [
    'The database cannot be written at present; Retry-After says when to retry',
    'The database cannot be written now: try again later',
  ],
  INTERNAL_ERROR: [
    'Something went wrong on the server; X-Request-Id finds it in the log',
    'Something went wrong on our side',
  ],
};

/** Their responses have a Retry-After header. */
const COMES_BACK: ReadonlySet<ErrorCode> = new Set(['RATE_LIMITED', 'DATABASE_UNAVAILABLE']);

export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  FieldProblem: {
    type: 'object',
    description: 'One field that is missing or wrong',
    properties: {
      field: {
        type: 'string',
        description: 'Path of the field, such as email or items[0].amount',
        example: 'email',
      },
      code: { type: 'string', description: 'What is wrong, for programs', example: 'invalid_format' },
      message: {
        type: 'string',
        description: 'What is wrong, for people',
        example: 'must be an e-mail address',
      },
      existingId: {
        type: 'string',
        description: 'For DUPLICATE_ENTRY: the id of the existing object, where the caller may read it',
        example: EXAMPLES.customerId,
      },
    },
    required: ['field', 'code', 'message'],
  },
  Error: {
    type: 'object',
    properties: {
      status: { type: 'integer', description: 'The HTTP status' },
      code: { type: 'string', enum: ERROR_CODES, description: 'What went wrong, for programs' },
      message: { type: 'string', description: 'What went wrong, for people; its wording may change' },
      details: { type: 'array', items: { $ref: '#/components/schemas/FieldProblem' } },
    },
    required: ['status', 'code', 'message'],
  },
};

/** The failure responses of a route, one per status, by reference. */
export function failureResponses(route: Route): Record<string, Reference> {
  return Object.fromEntries(
    [...codesByStatus(route)].map(([status, codes]) => [
      String(status),
      { $ref: `#/components/responses/${responseName(codes, route.auth)}` },
    ]),
  );
}

/** Every failure response that routes refer to, by name. */
export function sharedResponses(routes: readonly Route[]): Record<string, ResponseObject> {
  const responses = new Map<string, ResponseObject>();
  for (const route of routes) {
    for (const codes of codesByStatus(route).values()) {
      const name = responseName(codes, route.auth);
      if (!responses.has(name)) responses.set(name, failureResponse(codes, route.auth));
    }
  }
  return Object.fromEntries(responses);
}

function codesByStatus(route: Route): ReadonlyMap<number, readonly ErrorCode[]> {
  return Map.groupBy(documentedErrors(route), (code) => ERROR_STATUS[code]);
}

/** Of all routes that return the same codes with a status; a 401 also names the expected credential. */
function responseName(codes: readonly ErrorCode[], auth: AuthKind): string {
  return [...codes, ...(codes.includes('UNAUTHORISED') ? [auth] : [])].join('.');
}

function failureResponse(codes: readonly ErrorCode[], auth: AuthKind): ResponseObject {
  const [first = 'INTERNAL_ERROR'] = codes;
  const status = ERROR_STATUS[first];
  const narrowed: JsonSchema = {
    type: 'object',
    properties: { status: { const: status }, code: { type: 'string', enum: codes } },
  };
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      success: { type: 'boolean', const: false },
      error: { allOf: [{ $ref: '#/components/schemas/Error' }, narrowed] },
      data: { type: 'null' },
    },
    required: ['success', 'error', 'data'],
  };
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return {
    description: codes.map((code) => describe(code, auth)).join('\n'),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(codes.some((code) => COMES_BACK.has(code))
        ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }
        : {}),
    },
    content: { 'application/json': { schema, examples } },
  };
}

function describe(code: ErrorCode, auth: AuthKind): string {
  const wanted = code === 'UNAUTHORISED' && auth !== 'none' ? `; this takes ${ACCEPTED_TEXTS[auth]}` : '';
  return `\`${code}\`: ${ERROR_TEXTS[code][0]}${wanted}.`;
}

/** An example of each code, which the failure responses refer to. */
export function errorExamples(routes: readonly Route[]): Record<string, Example> {
  const codes = new Set(routes.flatMap((route) => [...documentedErrors(route)]));
  return Object.fromEntries([...codes].sort().map((code) => [code, buildExample(code)]));
}

function buildExample(code: ErrorCode): Example {
  const [summary, message] = ERROR_TEXTS[code];
  const details = DETAILS[code];
  const error = { status: ERROR_STATUS[code], code, message, ...(details === undefined ? {} : { details }) };
  return { summary, value: { success: false, error, data: null } };
}

const DETAILS: Readonly<Partial<Record<ErrorCode, readonly object[]>>> = {
  UNAUTHORISED: unauthorised('expired').details,
  VALIDATION_INVALID: [{ field: 'email', code: 'invalid_format', message: 'must be an e-mail address' }],
  DUPLICATE_ENTRY: [
    {
      field: 'email',
      code: 'duplicate',
      message: 'already exists',
      existingId: 'cus_5LrRyo2k8hQmXv4TzN0aWb7C',
    },
  ],
};
