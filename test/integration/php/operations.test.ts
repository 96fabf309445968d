import { afterAll, beforeAll, expect, it } from 'vitest';
import { METHODS, type OpenApiDocument } from '../../../src/http/openapi/types.ts';
import { SHOP_STATES } from '../../../packages/sdk/src/shop-state.ts';
import { Till } from '../../_helpers/till.ts';
import { runPhp } from './run-php.ts';

let till: Till;
beforeAll(async () => {
  till = await Till.start();
});
afterAll(async () => till.end());

interface Asked {
  readonly name: string;
  readonly operation: string;
  readonly idempotencyKey: string | null;
}

/** Calls each method of each part with a transport that only takes notes. */
const CALL_EVERYTHING = `
  $asked = [];
  $name = '';
  $till = new Tilld\\Tilld(['baseUrl' => 'http://till.example', 'transport' => function ($method, $url, $headers) use (&$asked, &$name) {
    $asked[] = ['name' => $name, 'operation' => $method . ' ' . parse_url($url, PHP_URL_PATH), 'idempotencyKey' => $headers['Idempotency-Key'] ?? null];
    return ['status' => 200, 'headers' => [], 'body' => '{"success":true,"error":null,"data":{"events":[],"nextAfter":0}}'];
  }]);
  foreach (get_object_vars($till) as $group => $part) {
    foreach ((new ReflectionClass($part))->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
      $name = "$group.{$method->name}";
      if ($method->isConstructor() || preg_match('/^(all|exportCsv|monthReportCsv|allLogs|allTransactions|allOutputs|since|follow)$/', $method->name)) continue;
      $options = $given['key'] === null ? [] : ['idempotencyKey' => $given['key']];
      try {
        $method->invokeArgs($part, $method->getParameters()[0]->name === 'options' ? [$options] : [[], $options]);
      } catch (InvalidArgumentException $refused) {
        $asked[] = ['name' => $name, 'operation' => 'refused', 'idempotencyKey' => null];
      }
    }
  }
  return $asked;`;

it('the PHP client has one method for every operation of the OpenAPI document, and no other', async () => {
  const document = (await (await fetch(`${till.api.baseUrl}/openapi.json`)).json()) as OpenApiDocument;
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const asked = await runPhp<Asked[]>(CALL_EVERYTHING, { key: 'a key of the caller' });
  expect(asked.map(({ operation }) => operation).sort()).toEqual(documented.sort());
});

it('the PHP client adds an Idempotency-Key to every POST, and requires one for operations that move money', async () => {
  const asked = await runPhp<Asked[]>(CALL_EVERYTHING, { key: null });
  const refused = asked.filter(({ operation }) => operation === 'refused').map(({ name }) => name);
  expect(refused.sort()).toEqual(['refundLinks.create', 'refunds.create', 'wallet.send']);
  const posts = asked.filter(({ operation }) => operation.startsWith('POST '));
  expect(posts.length).toBeGreaterThan(30);
  const keys = new Set(posts.map(({ idempotencyKey }) => idempotencyKey));
  expect(keys.size).toBe(posts.length);
  expect(keys.has(null)).toBe(false);
  const others = asked.filter(({ operation }) => !operation.startsWith('POST '));
  expect(others.every(({ idempotencyKey }) => idempotencyKey === null)).toBe(true);
});

it('the PHP client maps the state of an order with the same table as the SDK', async () => {
  expect(await runPhp('return Tilld\\Tilld::SHOP_STATES;')).toEqual(SHOP_STATES);
  const states = await runPhp(
    `return array_map(function ($payment) {
      try { return Tilld\\Tilld::shopState($payment); } catch (UnexpectedValueException $unknown) { return 'unknown'; }
    }, $given);`,
    [
      { status: 'completed', exception: 'overpaid' },
      { status: 'expired', exception: null },
      { status: 'cancelled', exception: null, supersededBy: 'pay_1' },
      { status: 'expired', exception: 'late' },
      { status: 'underpaid', exception: 'multiple' },
      { status: 'on holiday', exception: null },
    ],
  );
  expect(states).toEqual(['paid', 'lost', 'superseded', 'late', 'unknown', 'unknown']);
});
