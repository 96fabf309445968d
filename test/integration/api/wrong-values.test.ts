import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/http/openapi/types.ts';
import type { Endpoint } from './contract.ts';
import { World, type Account, type Answer, type Request } from './world.ts';

const world = await World.start();
let account: Account;
beforeAll(async () => {
  account = await world.account();
});
afterAll(async () => world.end());

const LONG = 'x'.repeat(5000);

/** Values of every kind. Which of them are wrong for a field is for its documented schema to say. */
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  '',
  ' ',
  'nonsense',
  '-5',
  '1e5',
  'NaN',
  LONG,
  [],
  [''],
  ['x', null],
  {},
  { a: 1 },
];
const TEXTS: readonly string[] = [
  '',
  ' ',
  '-1',
  '1.5',
  '1e3',
  'nonsense',
  'NaN',
  'null',
  '9999999999999999',
  LONG,
];

interface Field {
  readonly endpoint: Endpoint;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

function bodyFields(endpoint: Endpoint): Field[] {
  const schema = endpoint.operation.requestBody?.content['application/json']?.schema;
  const required = new Set(schema?.required);
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    endpoint,
    name,
    schema: field,
    required: required.has(name),
  }));
}

function queryFields(endpoint: Endpoint): Field[] {
  return (endpoint.operation.parameters ?? [])
    .filter(({ in: place }) => place === 'query')
    .map(({ name, schema, required = false }) => ({ endpoint, name, schema, required }));
}

/** Null when the answer is a 400 that names the field; else what it was. */
function complaint(answer: Answer, name: string): string | null {
  const { error } = answer.body;
  const fields = (error?.details ?? []).map(({ field }) => field);
  const named = fields.some(
    (field) => field === name || field.startsWith(`${name}[`) || field.startsWith(`${name}.`),
  );
  if (answer.status === 400 && error?.code === 'VALIDATION_INVALID' && named) return null;
  return `${answer.status} ${error?.code ?? 'success'} ${fields.join()}`;
}

async function expectRefused(
  field: Field,
  request: Request,
  value: unknown,
  problems: string[],
): Promise<void> {
  const answer = await world.send(field.endpoint, request);
  const problem = complaint(answer, field.name);
  const shown = JSON.stringify(value)?.slice(0, 40);
  if (problem !== null) problems.push(`${field.name} = ${shown}: ${problem}`);
  const off = world.contract.answerProblems(field.endpoint, answer);
  if (off.length > 0) problems.push(`${field.name} = ${shown}: ${off.join()}`);
}

describe('an invalid value of a documented body field', () => {
  const endpoints = world.contract.routes.filter((endpoint) => bodyFields(endpoint).length > 0);
  it.each(endpoints)('is rejected with the name of the field by $name', async (endpoint) => {
    const problems: string[] = [];
    const valid = account.request(endpoint);
    let tried = 0;
    for (const field of bodyFields(endpoint)) {
      for (const value of VALUES.filter((candidate) => !world.contract.fits(field.schema, candidate))) {
        tried += 1;
        await expectRefused(
          field,
          { ...valid, body: { ...valid.body, [field.name]: value } },
          value,
          problems,
        );
      }
      if (!field.required) continue;
      const { [field.name]: _, ...rest } = valid.body ?? {};
      await expectRefused(field, { ...valid, body: rest }, undefined, problems);
    }
    expect(problems).toEqual([]);
    expect(tried).toBeGreaterThan(5);
  });
});

describe('an invalid value of a documented query field', () => {
  const endpoints = world.contract.routes.filter((endpoint) => queryFields(endpoint).length > 0);
  it.each(endpoints)('is rejected with the name of the field by $name', async (endpoint) => {
    const problems: string[] = [];
    const valid = account.request(endpoint);
    for (const field of queryFields(endpoint)) {
      for (const value of TEXTS.filter((candidate) => !world.contract.fitsQuery(field.schema, candidate))) {
        await expectRefused(
          field,
          { ...valid, query: { ...valid.query, [field.name]: value } },
          value,
          problems,
        );
      }
      if (!field.required) continue;
      const { [field.name]: _, ...rest } = valid.query;
      await expectRefused(field, { ...valid, query: rest }, undefined, problems);
    }
    expect(problems).toEqual([]);
  });

  it.each(endpoints)(
    'is rejected with the name of the field by $name when the field is given twice',
    async (endpoint) => {
      const problems: string[] = [];
      const valid = account.request(endpoint);
      for (const { name } of queryFields(endpoint)) {
        const search = new URLSearchParams(valid.query).toString();
        const twice = { ...endpoint, path: `${endpoint.path}?${search}&${name}=1&${name}=2` };
        const answer = await world.send(twice, { ...valid, query: {} });
        const problem = complaint(answer, name);
        if (problem !== null) problems.push(`${name}: ${problem}`);
      }
      expect(problems).toEqual([]);
    },
  );
});
