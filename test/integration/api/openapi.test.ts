import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../src/domain/events.ts';
import { NO_EXAMPLE } from '../../../src/http/openapi/examples.ts';
import {
  resolveExample,
  resolveResponse,
  type MediaType,
  type Operation,
} from '../../../src/http/openapi/types.ts';
import { Till } from '../../_helpers/till.ts';
import { Contract } from './contract.ts';

let till: Till;
let contract: Contract;
beforeAll(async () => {
  till = await Till.start();
  contract = await Contract.of(till.api.baseUrl);
});
afterAll(async () => till.end());

function operations(): [name: string, Operation][] {
  const webhooks = Object.entries(contract.document.webhooks).map(([name, item]): [string, Operation] => {
    if (item.post === undefined) throw new Error(`${name} is not posted`);
    return [name, item.post];
  });
  return [
    ...contract.endpoints.map(({ name, operation }): [string, Operation] => [name, operation]),
    ...webhooks,
  ];
}

function contents(operation: Operation): MediaType[] {
  const answers = Object.values(operation.responses).map((response) =>
    resolveResponse(contract.document, response),
  );
  return [operation.requestBody, ...answers].flatMap((part) => Object.values(part?.content ?? {}));
}

function examplesOf(content: MediaType): unknown[] {
  const named = Object.values(content.examples ?? {}).map(
    (example) => resolveExample(contract.document, example).value,
  );
  return content.example === undefined ? named : [content.example, ...named];
}

it('the OpenAPI document is valid under the official OpenAPI 3.1 schema', async () => {
  const served = (await (await fetch(`${till.api.baseUrl}/openapi.json`)).json()) as Record<string, unknown>;
  const result = await new Validator().validate(served);
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(contract.document.openapi).toMatch(/^3\.1\./);
});

it('the OpenAPI document contains every API route and every event', () => {
  expect(contract.routes.length).toBeGreaterThanOrEqual(39);
  expect(Object.keys(contract.document.webhooks)).toEqual([...EVENT_TYPES]);
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs']) {
    expect(contract.document.paths).toHaveProperty([path]);
  }
});

it('the OpenAPI document describes the purpose of every operation', () => {
  const names = operations().map(([, { operationId }]) => operationId);
  expect(new Set(names).size).toBe(names.length);
  const poor = operations().filter(
    ([, { summary, description, tags }]) =>
      summary.length < 5 || description.length < 20 || tags.length === 0 || summary === description,
  );
  expect(poor.map(([name]) => name)).toEqual([]);
  const described = contract.document.tags.filter(({ description }) => description.length > 10);
  expect(described.map(({ name }) => name)).toEqual(contract.document.tags.map(({ name }) => name));
  const told = new Set(contract.document.tags.map(({ name }) => name));
  expect(operations().filter(([, { tags }]) => tags.some((tag) => !told.has(tag)))).toEqual([]);
});

/** Bodies of webhooks differ in `type` and status: one of each kind has an example. */
function isShownByAnother(name: string): boolean {
  const kindOf = (type: string) => {
    const content = contract.document.webhooks[type]?.post?.requestBody?.content['application/json'];
    return { data: JSON.stringify(content?.schema.properties?.['data']), example: content?.example };
  };
  const own = kindOf(name);
  return Object.keys(contract.document.webhooks).some((type) => {
    const { data, example } = kindOf(type);
    return own.data !== undefined && data === own.data && example !== undefined;
  });
}

it('the OpenAPI document has valid examples of every body, response and required parameter', () => {
  const problems = operations().flatMap(([name, operation]) => {
    const bodies = contents(operation).flatMap((content) => {
      const examples = examplesOf(content);
      if (examples.length === 0 && !isShownByAnother(name)) return [`${name}: an example is missing`];
      return examples.flatMap((example) => [
        ...contract.problems(content.schema, example).map((problem) => `${name}: ${problem}`),
        ...(JSON.stringify(example).includes(NO_EXAMPLE)
          ? [`${name}: a field of ${JSON.stringify(example)} has no example`]
          : []),
      ]);
    });
    const parameters = (operation.parameters ?? []).flatMap(({ name: field, required, example, schema }) => {
      if (example === undefined) return required === true ? [`${name}: ${field} has no example`] : [];
      const wrong = contract.problems(schema, example).map((problem) => `${name}: ${field} ${problem}`);
      return example === NO_EXAMPLE ? [`${name}: ${field} has no example`] : wrong;
    });
    return [...bodies, ...parameters];
  });
  expect(problems).toEqual([]);
});

it('the OpenAPI document lists common errors, headers and the idempotency key on the operations to which they apply', () => {
  for (const { name, method, operation } of contract.routes) {
    const statuses = Object.keys(operation.responses);
    expect(statuses, name).toContain('500');
    expect(statuses.includes('401') || operation.security?.length === 0, name).toBe(true);
    const keys = (operation.parameters ?? []).filter((parameter) => parameter.name === 'Idempotency-Key');
    expect(keys.length, name).toBe(method === 'POST' ? 1 : 0);
    if (method === 'POST') expect(statuses, name).toEqual(expect.arrayContaining(['409', '413', '422']));
    for (const response of Object.values(operation.responses)) {
      expect(resolveResponse(contract.document, response).headers, name).toHaveProperty('X-Request-Id');
    }
  }
});

it('the OpenAPI document uses one schema for parts that several responses share', () => {
  expect(Object.keys(contract.document.components.schemas)).toEqual(
    expect.arrayContaining(
      'ApiKey Customer Error Event FieldProblem Merchant Pagination PayerPayment Payment Price Product RestrictedKey Send User WalletTransaction WebhookLog'.split(
        ' ',
      ),
    ),
  );
});
