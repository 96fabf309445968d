import { z } from 'zod';
import { createDocument, type ZodOpenApiOverride, type ZodOpenApiPathsObject } from 'zod-openapi';
import { ERROR_SCHEMAS, errorExamples, sharedResponses } from './errors.ts';
import { buildExample } from './examples.ts';
import { operation } from './operation.ts';
import { SERVICE_PATHS } from './service.ts';
import { HEADERS, SECURITY_SCHEMES, TAGS } from './shared-components.ts';
import {
  METHODS,
  type MediaType,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem,
  type ResponseObject,
} from './types.ts';
import { webhookItems } from './webhooks.ts';
import type { Route } from '../server/route.ts';

const DESCRIPTION = `Cryptocurrency payments on your own nodes: Bitcoin, Litecoin, Ethereum and Solana.

Every answer is an envelope: \`success\`, \`error\` and \`data\`. Amounts are decimal strings, times are ISO 8601 in UTC.
Unknown fields are ignored. Every POST takes an \`Idempotency-Key\`.`;

/** The OpenAPI 3.1 document of these routes, from the same definitions that serve them. */
export function createOpenApi(
  routes: readonly Route[],
  info: { readonly version: string; readonly baseUrl: string },
): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  const generated = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'tilld',
        version: info.version,
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: info.baseUrl }],
      tags: listTags(routes),
      paths,
    },
    { override: plainer },
  ) as unknown as OpenApiDocument;
  const components = {
    ...generated.components,
    schemas: { ...generated.components.schemas, ...ERROR_SCHEMAS },
    responses: sharedResponses(routes),
    examples: errorExamples(routes),
    headers: HEADERS,
    securitySchemes: SECURITY_SCHEMES,
  };
  const document: OpenApiDocument = { ...generated, components };
  const byOperation = new Map(routes.map((route) => [`${route.method.toLowerCase()} ${route.path}`, route]));
  return {
    ...document,
    paths: { ...withExamples(document, byOperation), ...SERVICE_PATHS },
    webhooks: webhookItems(document),
  };
}

/** Responses may gain fields: clients must not reject unknown ones. Defaults are documented. */
const plainer: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (typeof jsonSchema.additionalProperties === 'object') {
    if (Object.keys(jsonSchema.additionalProperties).length === 0) jsonSchema.additionalProperties = true;
    const { propertyNames } = jsonSchema;
    if (typeof propertyNames === 'object' && propertyNames.enum === undefined)
      delete jsonSchema.propertyNames;
  }
  // Zod omits the default if input and output differ, which is so in every query.
  if (io === 'input' && zodSchema instanceof z.ZodDefault) jsonSchema.default ??= zodSchema.def.defaultValue;
};

function listTags(routes: readonly Route[]): { name: string; description: string }[] {
  const used = new Set(['Service', ...routes.flatMap(({ tags }) => tags)]);
  const known = Object.keys(TAGS).filter((name) => used.has(name));
  const unknown = [...used].filter((name) => TAGS[name] === undefined);
  return [...known, ...unknown].map((name) => ({ name, description: TAGS[name] ?? '' }));
}

type Unfinished = OpenApiDocument;

function withExamples(document: Unfinished, routes: ReadonlyMap<string, Route>): Record<string, PathItem> {
  const items = Object.entries(document.paths).map(([path, item]): [string, PathItem] => {
    const operations = METHODS.flatMap((method) => {
      const found = item[method];
      const route = routes.get(`${method} ${path}`);
      return found === undefined || route === undefined
        ? []
        : [[method, complete(document, found, route)] as const];
    });
    return [path, Object.fromEntries(operations)];
  });
  return Object.fromEntries(items);
}

/** An operation with an example of its request and response. */
function complete(document: Unfinished, given: Operation, route: Route): Operation {
  const { example } = route;
  const body = given.requestBody?.content['application/json'];
  return {
    ...given,
    ...(given.parameters === undefined
      ? {}
      : {
          parameters: given.parameters.map((parameter) => withParameterExample(document, parameter, route)),
        }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': withBodyExamples(document, body, route) },
          },
        }),
    responses: Object.fromEntries(
      Object.entries(given.responses).map(([status, response]) => [
        status,
        '$ref' in response || !status.startsWith('2')
          ? response
          : withDataExample(document, response, example.data),
      ]),
    ),
  };
}

function withParameterExample(document: Unfinished, parameter: Parameter, route: Route): Parameter {
  const given = route.example.query as Readonly<Record<string, unknown>> | undefined;
  const optional = parameter.required !== true;
  if (given === undefined || parameter.in === 'header' || parameter.name === 'merchantId') {
    return { ...parameter, example: buildExample(document, parameter.schema) };
  }
  const example = given[parameter.name];
  if (example === undefined && optional) return parameter;
  return { ...parameter, example };
}

function withBodyExamples(document: Unfinished, body: MediaType, route: Route): MediaType {
  const { body: own, otherBodies } = route.example;
  const example = own ?? buildExample(document, body.schema);
  if (otherBodies === undefined) return { ...body, example };
  const others = Object.entries(otherBodies).map(([summary, value]) => [summary, { summary, value }]);
  return { ...body, examples: { Usual: { value: example }, ...Object.fromEntries(others) } };
}

function withDataExample(document: Unfinished, response: ResponseObject, own: unknown): ResponseObject {
  const content = response.content?.['application/json'];
  if (content === undefined) return response;
  const schema = content.schema.properties?.['data'] ?? {};
  const data = own ?? buildExample(document, schema);
  const example = { success: true, error: null, data };
  return { ...response, content: { ...response.content, 'application/json': { ...content, example } } };
}
