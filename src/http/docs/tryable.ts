import type { Operation } from '../openapi/types.ts';
import { html, type Html } from './html.ts';
import { exampleBody, exampleQuery } from './samples/request.ts';

/** Scopes that may be tried on the page: none that sends money or changes keys or settings. */
const HARMLESS: ReadonlySet<string> = new Set([
  'payments:read',
  'payments:write',
  'refunds:write',
  'webhooks:read',
  'events:read',
  'wallet:read',
]);

/**
 * Attributes from which the script of the page builds a form to try an operation in the sandbox; none where
 * that is not offered. Only operations of one merchant qualify: the script names a merchant in sandbox mode
 * with every request, and the server rejects records of another. An operation that changes something must
 * create or name a payment, because a payment itself records whether it is for real money.
 */
export function tryable(method: string, path: string, operation: Operation): Html | null {
  const { parameters = [], 'x-scope': scopes } = operation;
  const namesMerchant = parameters.some(({ name }) => name === 'merchantId');
  if (!namesMerchant || scopes === undefined || !scopes.every((scope) => HARMLESS.has(scope))) return null;
  const body = exampleBody(operation);
  const isOfPayment =
    path === '/payment/create' || (typeof body === 'object' && body !== null && 'paymentId' in body);
  if (method !== 'get' && !isOfPayment) return null;
  return html`data-try="${method.toUpperCase()} ${path}"
  data-query="${exampleQuery(operation)}"${
    body === undefined ? null : html` data-body="${JSON.stringify(body, null, 2)}"`
  }`;
}
