/** What every address of the daemon does the same way, read from the routes and pages as they are served. */
import { isListed } from '../../../src/http/server/route.ts';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOpenApi } from '../../../src/http/openapi/document.ts';
import { buildExample, NO_EXAMPLE } from '../../../src/http/openapi/examples.ts';
import { METHODS, type JsonSchema, type OpenApiDocument } from '../../../src/http/openapi/types.ts';
import type { Route } from '../../../src/http/server/route.ts';
import type { HttpServer } from '../../../src/http/http-server.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { whole } from '../../_helpers/whole-openapi.ts';
import { Contract } from './contract.ts';
import { observeServers } from './observed-servers.ts';

const served = observeServers();

interface Line {
  readonly message: string;
  readonly requestId?: string;
}

const lines: (Line & Record<string, unknown>)[] = [];
const write = (fields: object, message: string): void => void lines.push({ ...fields, message });

let till: Till;
beforeAll(async () => {
  till = await Till.start({}, { logger: { debug: () => undefined, info: write, warn: write, error: write } });
});
afterAll(async () => till.end());

interface Layer {
  readonly route?: { readonly path: string | readonly string[]; readonly methods: Record<string, boolean> };
  readonly handle?: { readonly stack?: readonly Layer[] };
}

/** Patterns of the pages, with a value for each parameter. */
function pages(): string[] {
  const within = (layers: readonly Layer[]): string[] =>
    layers.flatMap(({ route, handle }) => [
      ...(route === undefined ? [] : [route.path].flat()),
      ...within(handle?.stack ?? []),
    ]);
  const [server] = served.servers as [HttpServer];
  const { stack } = server.app.router as unknown as { stack: readonly Layer[] };
  return [...new Set(within(stack))].map((pattern) => pattern.replace(/[:*]\w+/g, 'aaaaaa'));
}

/** Leads to the dashboard, because browsers remember it. */
const BOOKMARKED = '/dashboard/';

const routes = (): Route[] => served.routes;
const paths = (): string[] => [...new Set([...routes().map(({ path }) => path), ...pages()])];

/** The answer to a request by hand: `fetch` tidies up the address that it is given. */
async function ask(method: string, path: string, headers: Record<string, string> = {}) {
  const { hostname, port } = new URL(till.api.baseUrl);
  const sent = request({ hostname, port, method, path, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** The same address spelt in other ways, as a proxy's rule for it would not see. */
function spellings(path: string): string[] {
  const end = path.length - 1;
  const encoded = `%${path.charCodeAt(end).toString(16)}`;
  return [
    `${path}/`,
    `/${path}`,
    `${path}//`,
    path.toUpperCase(),
    path.slice(0, end) + encoded,
    path.replace(/\//, '/%2e/'),
  ];
}

describe('every path of the daemon', () => {
  it('is covered by this test, for API routes and pages alike', () => {
    expect(routes().length).toBeGreaterThan(80);
    expect(pages()).toEqual(
      expect.arrayContaining(['/', '/docs', '/metrics', '/dashboard', '/checkout/aaaaaa', '/r/aaaaaa']),
    );
  });

  it('has one spelling, and any other spelling answers 404 NOT_FOUND', async () => {
    const wrong: string[] = [];
    for (const path of paths().filter((one) => one !== '/')) {
      for (const spelling of spellings(path).filter((one) => one !== BOOKMARKED)) {
        const { status, body } = await ask('GET', spelling);
        if (status !== 404 || !body.includes('"NOT_FOUND"')) wrong.push(`${spelling}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('includes the old dashboard URL, which redirects browsers to the current one', async () => {
    const { status, headers } = await ask('GET', BOOKMARKED);
    expect([status, headers.location]).toEqual([302, '/dashboard']);
  });

  it('answers every method with X-Request-Id', async () => {
    const missing: string[] = [];
    for (const path of [...paths(), '/assets/none.js', '/nowhere']) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const { headers, status } = await ask(method, path, { 'x-request-id': 'every-route' });
        if (headers['x-request-id'] !== 'every-route') missing.push(`${method} ${path}: ${status}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('answers 405 for unsupported POST, PUT and OPTIONS on API paths', async () => {
    for (const path of new Set(routes().map((route) => route.path))) {
      const taken = routes().filter((route) => route.path === path);
      const takesPublicKey = taken.some(({ auth }) => auth === 'payer');
      expect([path, (await ask('PUT', path)).status]).toEqual([path, 405]);
      expect([path, (await ask('OPTIONS', path)).status]).toEqual([path, takesPublicKey ? 204 : 405]);
    }
  });
});

/** The document before it is served, with the examples of its fields. */
function createDocument(): OpenApiDocument {
  const listed = routes().filter(isListed);
  return createOpenApi(listed, { version: '0.0.0', baseUrl: till.api.baseUrl });
}

describe('every documented field', () => {
  it('has an example that fits its schema', () => {
    const contract = new Contract(createDocument());
    const fields = fieldsOf(contract.document);
    const problems = fields.flatMap(([name, schema]) => {
      const example = buildExample(contract.document, schema);
      if (JSON.stringify(example).includes(NO_EXAMPLE)) return [`${name} has no example`];
      return contract.problems(schema, example).map((problem) => `${name}: ${problem}`);
    });
    expect(fields.length).toBeGreaterThan(700);
    expect(problems).toEqual([]);
  });

  it('has an example in each request and response body, and the served OpenAPI document repeats none', async () => {
    const served = (await (await fetch(`${till.api.baseUrl}/openapi.json`)).json()) as OpenApiDocument;
    expect(fieldsOf(createDocument()).some(([, { example }]) => example !== undefined)).toBe(true);
    expect(fieldsOf(whole(served)).filter(([, { example }]) => example !== undefined)).toEqual([]);
  });
});

/** Every parameter, and every field of a body or an answer, with the way to it. */
function fieldsOf({ paths: items, webhooks, components }: OpenApiDocument): [string, JsonSchema][] {
  const operations = [...Object.entries(items), ...Object.entries(webhooks)].flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined || operation.tags.includes('Service')) return [];
      const { parameters = [], requestBody, responses } = operation;
      const given = parameters.filter(({ in: place }) => item !== webhooks[path] || place !== 'header');
      const contents = [requestBody, ...Object.values(responses)].flatMap((part) =>
        part === undefined || '$ref' in part ? [] : Object.values(part.content ?? {}),
      );
      return [
        ...given.map(({ name, schema }): [string, JsonSchema] => [`${method} ${path} ?${name}`, schema]),
        ...contents.flatMap(({ schema }) => fieldsIn(`${method} ${path}`, schema)),
      ];
    }),
  );
  const shared = Object.entries(components.schemas).filter(([name]) => !name.startsWith('Error'));
  return [...operations, ...shared.flatMap(([name, schema]) => fieldsIn(name, schema))];
}

function fieldsIn(path: string, schema: JsonSchema): [string, JsonSchema][] {
  const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties: each } = schema;
  const inner = [...anyOf, ...oneOf, ...(items === undefined ? [] : [items])];
  return [
    ...Object.entries(properties).flatMap(([name, field]): [string, JsonSchema][] => [
      [`${path}.${name}`, field],
      ...fieldsIn(`${path}.${name}`, field),
    ]),
    ...[...inner, ...(typeof each === 'object' ? [each] : [])].flatMap((part) => fieldsIn(path, part)),
  ];
}

describe('pages of another origin', () => {
  const ORIGIN = 'https://shop.example';
  const preflight = (method: string) => ({
    origin: ORIGIN,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type',
  });

  it('may call exactly the routes that accept a public key (CORS)', async () => {
    const allowed: string[] = [];
    for (const { method, path } of routes()) {
      const { headers } = await ask('OPTIONS', path, preflight(method));
      const methods = headers['access-control-allow-methods']?.split(',') ?? [];
      if (headers['access-control-allow-origin'] === '*' && methods.includes(method))
        allowed.push(`${method} ${path}`);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
    const takesPublicKey = routes().filter(({ auth }) => auth === 'payer');
    expect(allowed.sort()).toEqual(takesPublicKey.map(({ method, path }) => `${method} ${path}`).sort());
    expect(allowed).toContain('POST /payment/create');
  });

  it('cannot read the response of any other path', async () => {
    const open = new Set(routes().flatMap(({ auth, path }) => (auth === 'payer' ? [path] : [])));
    const readable: string[] = [];
    for (const path of paths()) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { headers } = await ask(method, path, { origin: ORIGIN });
        const names = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
        if (names.length > 0 && !open.has(path)) readable.push(`${method} ${path}`);
      }
    }
    expect(readable).toEqual([]);
  });
});

describe('the access log', () => {
  it('names the route of every request by its pattern', async () => {
    const from = lines.length;
    for (const path of paths()) await ask('GET', path);
    await ask('GET', '/nowhere');
    const logged = await eventually(
      'the last request is logged',
      () => lines.slice(from).filter(({ message }) => message === 'request'),
      (found) => found.at(-1)?.['path'] === '/nowhere',
    );
    const ofRoutes = logged.filter(({ path }) => routes().some((route) => route.path === path));
    for (const line of ofRoutes) expect(line['route']).toBe(line['path']);
    const named = new Map(logged.map(({ path, route }) => [path, route]));
    expect(named.get('/checkout/aaaaaa')).toBe('/checkout/:paymentId');
    expect(named.get('/r/[token]')).toBe('/r/:token');
    expect(named.get('/nowhere')).toBe('other');
    for (const line of logged) expect(line).toMatchObject({ method: 'GET', client: '127.0.0.1' });
  });
});
