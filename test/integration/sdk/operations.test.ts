import { afterAll, beforeAll, expect, it } from 'vitest';
import { Tilld } from '../../../packages/sdk/src/index.ts';
import { METHODS, type OpenApiDocument } from '../../../src/http/openapi/types.ts';
import { Till } from '../../_helpers/till.ts';

/** Methods in addition to those of the operations: variants of them. */
const BESIDE = /^(payments\.(payerView|exportCsv|monthReportCsv)|events\.(since|follow)|\w+\.all[A-Z]?\w*)$/;

let till: Till;
beforeAll(async () => {
  till = await Till.start();
});
afterAll(async () => till.end());

it('the SDK has one method for every operation of the OpenAPI document, and no other', async () => {
  const document = (await (await fetch(`${till.api.baseUrl}/openapi.json`)).json()) as OpenApiDocument;
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const asked: string[] = [];
  const client = new Tilld({
    baseUrl: 'http://till.example',
    fetch: async (url, { method }) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      return Response.json({ success: true, error: null, data: null });
    },
  });
  for (const [group, methods] of Object.entries(client)) {
    if (typeof methods !== 'object') continue;
    for (const [name, method] of Object.entries(methods as Record<string, (...given: object[]) => unknown>)) {
      if (BESIDE.test(`${group}.${name}`)) continue;
      await method({}, { idempotencyKey: 'a key of the caller' });
    }
  }
  expect(asked.sort()).toEqual(documented.sort());
});
