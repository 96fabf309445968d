import type { Operation } from '../openapi/types.ts';

/** The shell variable that holds each kind of credential in the examples. */
const VARIABLES: Readonly<Record<string, string>> = {
  userToken: '$TOKEN',
  secretKey: '$SECRET_KEY',
  restrictedKey: '$RESTRICTED_KEY',
  publicKey: '$PUBLIC_KEY',
};

export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** A shell variable such as `$TOKEN`, or null for none. */
  readonly credential: string | null;
  readonly body?: unknown;
}

/** A curl command as one would type it. */
export function curl({ method, url, credential, body }: CurlRequest): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${url.includes('?') ? `"${url}"` : url}`,
    ...(credential === null ? [] : [`-H "Authorization: Bearer ${credential}"`]),
    ...(body === undefined
      ? []
      : [
          `-H "Content-Type: application/json"`,
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''").replaceAll('\n', '\n  ')}'`,
        ]),
  ];
  return lines.join(' \\\n  ');
}

/** The curl command of an operation, made of its examples. */
export function operationCurl(baseUrl: string, method: string, path: string, operation: Operation): string {
  const [scheme] = (operation.security ?? []).flatMap((requirement) => Object.keys(requirement));
  const query = (operation.parameters ?? []).filter(
    ({ in: place, name, required, example }) =>
      place === 'query' &&
      example !== undefined &&
      name !== 'merchantId' &&
      (required === true || isShown(operation, name)),
  );
  const search = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&');
  const content = operation.requestBody?.content['application/json'];
  const body = content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
  return curl({
    method: method.toUpperCase(),
    url: `${baseUrl}${path}${search === '' ? '' : `?${search}`}`,
    credential: scheme === undefined ? null : (VARIABLES[scheme] ?? null),
    ...(body === undefined ? {} : { body }),
  });
}

/** Optional filters would bury the example: pages and what the route itself chose are enough. */
function isShown(operation: Operation, name: string): boolean {
  const optional = (operation.parameters ?? []).filter(({ in: place }) => place === 'query');
  const isList = optional.some((parameter) => parameter.name === 'page');
  return isList ? name === 'page' || name === 'limit' : true;
}
