import type { Operation } from '../../openapi/types.ts';

/** The environment variable that holds each kind of credential in the samples. */
const VARIABLES: Readonly<Record<string, string>> = {
  userToken: 'TOKEN',
  secretKey: 'SECRET_KEY',
  restrictedKey: 'RESTRICTED_KEY',
  publicKey: 'PUBLIC_KEY',
};

/** A request, independent of the language that renders it. */
export interface SampleRequest {
  readonly method: string;
  readonly url: string;
  /** The environment variable of the credential, such as `TOKEN`; null for none. */
  readonly credential: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Whether the answer is the JSON envelope; otherwise it is text. */
  readonly answersJson?: boolean;
}

/** The request of an operation, built from its examples. */
export function operationRequest(
  baseUrl: string,
  method: string,
  path: string,
  operation: Operation,
): SampleRequest {
  const [scheme] = (operation.security ?? []).flatMap((requirement) => Object.keys(requirement));
  const search = exampleQuery(operation);
  const body = exampleBody(operation);
  return {
    method: method.toUpperCase(),
    url: `${baseUrl}${path}${search === '' ? '' : `?${search}`}`,
    credential: scheme === undefined ? null : (VARIABLES[scheme] ?? null),
    answersJson: answersJson(operation),
    ...(body === undefined ? {} : { body }),
  };
}

export function exampleQuery(operation: Operation): string {
  return (operation.parameters ?? [])
    .filter(
      ({ in: place, name, required, example }) =>
        place === 'query' &&
        example !== undefined &&
        name !== 'merchantId' &&
        (required === true || isShown(operation, name)),
    )
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
    .join('&');
}

export function exampleBody({ requestBody }: Operation): unknown {
  const content = requestBody?.content['application/json'];
  return content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
}

/** Optional filters would obscure the example: pagination and the route's own choice are enough. */
function isShown(operation: Operation, name: string): boolean {
  const optional = (operation.parameters ?? []).filter(({ in: place }) => place === 'query');
  const isList = optional.some((parameter) => parameter.name === 'page');
  return isList ? name === 'page' || name === 'limit' : true;
}

function answersJson({ operationId, responses }: Operation): boolean {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => ('$ref' in response ? [] : Object.keys(response.content ?? {})));
  // The document itself is JSON, but not in the envelope of the API.
  return types.includes('application/json') && operationId !== 'serviceThisDocument';
}
