import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../src/http/openapi/types.ts';
import { Till } from '../../_helpers/till.ts';
import { whole } from '../../_helpers/whole-openapi.ts';

const FILE = '../../../packages/sdk/src/openapi.ts';
const HEAD = `// Written by \`npm run api-types\` from the daemon's own OpenAPI document, which a test compares it with.\n\n`;

let till: Till;
beforeAll(async () => {
  till = await Till.start();
});
afterAll(async () => till.end());

/** Without what makes no type: texts and examples for people, headers and failures (all the same envelope). */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, inner]) =>
      !(
        /^(example|summary|title)$/.test(name) ||
        (/^(description|examples)$/.test(name) && !isSchema(inner))
      ),
  );
  return Object.fromEntries(kept.map(([name, inner]) => [name, bare(inner)]));
}

/** A property may have any name: then a schema stands there, not a text or a list. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value);
}

function typed(document: OpenApiDocument): OpenAPI3 {
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [
        method,
        {
          ...operation,
          operationId: undefined,
          security: undefined,
          parameters: operation.parameters?.filter((parameter) => parameter.in === 'query'),
          responses: Object.fromEntries(
            Object.entries(operation.responses)
              // A 202 has the type of its 200.
              .filter(([status]) => status.startsWith('2') && status !== '202')
              .map(([status, response]) => [
                status,
                { ...response, headers: undefined, description: undefined },
              ]),
          ),
        },
      ]),
    ),
  ]);
  const webhooks = Object.entries(document.webhooks).map(([type, { post }]) => [
    type,
    { post: { requestBody: post?.requestBody, responses: {} } },
  ]);
  const { openapi, info, components } = document;
  return bare({
    openapi,
    info,
    paths: Object.fromEntries(paths),
    webhooks: Object.fromEntries(webhooks),
    components: { schemas: components.schemas },
  }) as OpenAPI3;
}

it('the types of the SDK and the dashboard match the current API', async () => {
  const document = await (await fetch(`${till.api.baseUrl}/openapi.json`)).json();
  const types = await openapiTypescript(JSON.parse(JSON.stringify(typed(whole(document)))), {
    silent: true,
    exportType: false,
  });
  // What is not there needs no line that says so, and half of the indentation will do.
  const lean = astToString(types)
    .replaceAll(/^ +\w+\?: never;\n/gm, '')
    .replaceAll(/^ +headers: \{\n +\[name: string\]: unknown;\n +\};\n/gm, '')
    .replaceAll(/^ +parameters: \{\n +\};\n/gm, '')
    .replaceAll(/^ +responses: never;\n/gm, '')
    .replaceAll(/^ +/gm, (blanks) => blanks.slice(blanks.length / 2));
  expect(lean.length).toBeLessThan(165_000);
  await expect(HEAD + lean).toMatchFileSnapshot(FILE);
});
