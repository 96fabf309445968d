import { READINESS, readinessExample } from './readiness.ts';
import type { JsonSchema, MediaType, Operation, PathItem } from './types.ts';

/** The endpoints outside of the API. */
export const SERVICE_PATHS: Readonly<Record<string, PathItem>> = {
  '/healthz': service('Is the process up', 'Answers as long as the process serves requests.', {
    '200': [
      'Up',
      'application/json',
      success(
        {
          type: 'object',
          properties: {
            status: { const: 'ok' },
            version: { type: 'string', description: 'Version of the daemon' },
          },
          required: ['status', 'version'],
        },
        { status: 'ok', version: '0.1.0' },
      ),
    ],
  }),
  '/readyz': service(
    'Can it do its work',
    'Ready when the database works and every configured chain is followed to its tip. Where the operator has an address ' +
      'of their own (`TILLD_ADMIN_LISTEN`), the details are there, and here is `ready` only.',
    {
      '200': ['Ready', 'application/json', success(READINESS, readinessExample())],
      '503': [
        '`NODE_UNAVAILABLE`: not ready. This error has `data` as well: it shows which part is not ready.',
        'application/json',
        {
          schema: {
            type: 'object',
            properties: {
              success: { type: 'boolean', const: false },
              error: { $ref: '#/components/schemas/Error' },
              data: READINESS,
            },
            required: ['success', 'error', 'data'],
          },
          example: {
            success: false,
            error: { status: 503, code: 'NODE_UNAVAILABLE', message: 'Not ready' },
            data: { ...readinessExample(), ready: false },
          },
        },
      ],
    },
  ),
  '/metrics': service(
    'Metrics',
    'In the text format of Prometheus. On the address of the operator, where there is one (`TILLD_ADMIN_LISTEN`).',
    {
      '200': [
        'Metrics',
        'text/plain',
        {
          schema: { type: 'string' },
          example: '# HELP tilld_http_request_duration_seconds Time to answer HTTP requests\n',
        },
      ],
    },
  ),
  '/openapi.json': service('This document', 'The whole API as OpenAPI 3.1.', {
    '200': ['OpenAPI 3.1', 'application/json', { schema: { type: 'object' }, example: { openapi: '3.1.0' } }],
  }),
  '/docs': service(
    'Reference to read',
    'This document for people, as one page that also works without scripts.',
    {
      '200': ['Page', 'text/html', { schema: { type: 'string' }, example: '<!doctype html>' }],
    },
  ),
};

function success(data: JsonSchema, example: unknown): MediaType {
  return {
    schema: {
      type: 'object',
      properties: { success: { type: 'boolean', const: true }, error: { type: 'null' }, data },
      required: ['success', 'error', 'data'],
    },
    example: { success: true, error: null, data: example },
  };
}

function service(
  summary: string,
  description: string,
  answers: Readonly<Record<string, readonly [description: string, type: string, content: MediaType]>>,
): PathItem {
  const responses = Object.entries(answers).map(([status, [text, type, content]]) => [
    status,
    {
      description: text,
      headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
      content: { [type]: content },
    },
  ]);
  const operation: Operation = {
    operationId: `service${summary.replace(/\b\w/g, (letter) => letter.toUpperCase()).replaceAll(' ', '')}`,
    summary,
    description,
    tags: ['Service'],
    security: [],
    responses: Object.fromEntries(responses),
  };
  return { get: operation };
}
