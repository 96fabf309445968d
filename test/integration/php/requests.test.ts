import { expect, it } from 'vitest';
import { runPhp } from './run-php.ts';

interface Outcome {
  readonly result: unknown;
  readonly error: null | {
    class: string;
    code: string;
    status: number;
    details: unknown[];
    requestId: string | null;
    isRetryable: boolean;
  };
  readonly keys: string[];
  readonly bodies: (string | null)[];
  readonly pauses: number[];
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const OK = success({ id: 'pay_1' });
const NO_ANSWER: Answer = { status: 0 };

function refusal(status: number, code: string, headers: Record<string, string> = {}): Answer {
  const error = {
    status,
    code,
    message: 'in words',
    details: [{ field: 'amount', code: 'invalid', message: 'no' }],
  };
  return { status, headers, body: JSON.stringify({ success: false, error, data: null }) };
}

function success(data: object): Answer {
  return { status: 200, body: JSON.stringify({ success: true, error: null, data }) };
}

/** A call against a transport that gives these answers, the last one for ever; pauses take no time. */
async function call(
  answers: Answer[],
  {
    code = `$till->payments->create(['orderId' => '1'])`,
    client = {},
  }: { code?: string; client?: object } = {},
): Promise<Outcome> {
  return runPhp(
    `$keys = $bodies = $pauses = [];
    $till = new Tilld\\Tilld($given['client'] + ['baseUrl' => 'http://till.example/', 'key' => 'sk_of_the_shop',
      'sleep' => function ($seconds) use (&$pauses) { $pauses[] = $seconds; },
      'transport' => function ($method, $url, $headers, $body) use (&$keys, &$bodies, $given) {
        $answer = $given['answers'][min(count($keys), count($given['answers']) - 1)];
        $keys[] = $headers['Idempotency-Key'] ?? '';
        $bodies[] = $body;
        if ($answer['status'] === 0) throw new Tilld\\ConnectionException('NO_ANSWER', 'connection refused');
        return $answer + ['headers' => [], 'body' => ''];
      }]);
    $result = $error = null;
    try { $result = ${code}; } catch (Tilld\\TilldException $thrown) {
      $error = ['class' => get_class($thrown), 'code' => $thrown->getCode(), 'status' => $thrown->status, 'details' => $thrown->details,
        'requestId' => $thrown->requestId, 'isRetryable' => $thrown->isRetryable()];
    }
    return compact('result', 'error', 'keys', 'bodies', 'pauses');`,
    { answers, client },
  );
}

it.each([
  ['InvalidRequestException', 400, 'VALIDATION_INVALID', false],
  ['AuthenticationException', 401, 'UNAUTHORISED', false],
  ['PermissionException', 403, 'FORBIDDEN', false],
  ['NotFoundException', 404, 'PAYMENT_NOT_FOUND', false],
  ['ConflictException', 409, 'INVALID_STATE', false],
  ['ConflictException', 409, 'IDEMPOTENCY_IN_FLIGHT', true],
  ['RateLimitException', 429, 'RATE_LIMITED', true],
  ['UnavailableException', 500, 'INTERNAL_ERROR', false],
  ['UnavailableException', 503, 'COIN_UNAVAILABLE', false],
  ['UnavailableException', 503, 'NODE_UNAVAILABLE', true],
])('the PHP client throws %s for %i %s with all details', async (name, status, code, isRetryable) => {
  const { error, keys } = await call([refusal(status, code, { 'x-request-id': 'req_1' })]);
  expect(error).toEqual({
    class: `Tilld\\${name}`,
    code,
    status,
    details: [{ field: 'amount', code: 'invalid', message: 'no' }],
    requestId: 'req_1',
    isRetryable,
  });
  expect(keys).toHaveLength(isRetryable ? 3 : 1);
});

it('the PHP client retries with the same Idempotency-Key when a response is missing, and returns the data of the response', async () => {
  const { result, keys, pauses } = await call([NO_ANSWER, refusal(503, 'DATABASE_UNAVAILABLE'), OK]);
  expect(result).toEqual({ id: 'pay_1' });
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(pauses[0]).toBeGreaterThanOrEqual(0.375);
  expect(pauses[0]).toBeLessThanOrEqual(0.625);
  expect(pauses[1]).toBeGreaterThanOrEqual(0.75);
  expect(pauses[1]).toBeLessThanOrEqual(1.25);
});

it('the PHP client waits for the time in Retry-After, and gives up beyond its time budget', async () => {
  expect((await call([refusal(429, 'RATE_LIMITED', { 'retry-after': '7' }), OK])).pauses).toEqual([7]);
  const tooLong = await call([refusal(503, 'RATE_UNAVAILABLE', { 'retry-after': '90' }), OK]);
  expect(tooLong).toMatchObject({ pauses: [], error: { code: 'RATE_UNAVAILABLE' } });
});

it('the PHP client makes the configured number of attempts', async () => {
  expect((await call([NO_ANSWER], { client: { retries: 0 } })).keys).toHaveLength(1);
  expect((await call([NO_ANSWER], { client: { retries: 4 } })).keys).toHaveLength(5);
});

it.each<[string, Answer, string]>([
  ['an unrelated page', { status: 200, body: '<html>' }, 'UNREADABLE'],
  ['a redirect', { status: 301, headers: { location: 'https://elsewhere' } }, 'UNREADABLE'],
  ['a truncated response', { status: 200, body: '{"success":tr' }, 'UNREADABLE'],
])('the PHP client does not accept %s as a response of the API', async (_, answer, code) => {
  expect((await call([answer])).error).toMatchObject({ code });
});

it('the PHP client sends objects as objects, strings unchanged, and rejects floats', async () => {
  const { bodies } = await call([OK], {
    code: `$till->payments->create(['amount' => '19.90', 'customer' => [], 'metadata' => [], 'lines' => [], 'description' => 'größer/€'])`,
  });
  expect(bodies).toEqual([
    '{"amount":"19.90","customer":{},"metadata":{},"lines":[],"description":"größer/€"}',
  ]);
  const empty = await call([OK], { code: `$till->webhooks->test()` });
  expect(empty.bodies).toEqual(['{}']);
  await expect(
    call([OK], { code: `$till->payments->create(['lines' => [['amount' => 19.9]]])` }),
  ).rejects.toThrow('must be a decimal string');
});

it('the PHP client includes API keys in no error message', async () => {
  await expect(call([OK], { client: { key: 'sk_with\nline' } })).rejects.toThrow(
    /key: empty, or with blanks/,
  );
  await expect(call([OK], { client: { key: 'sk_with\nline' } })).rejects.not.toThrow(/sk_with/);
});

function page(ids: string[], number: number): Answer {
  return success({ payments: ids.map((id) => ({ id })), pagination: { page: number, limit: 2, total: 5 } });
}

it('the PHP client iterates over all pages and returns each item once', async () => {
  const { result } = await call([page(['a', 'b'], 1), page(['b', 'c'], 2), page(['d'], 3)], {
    code: `array_column(iterator_to_array($till->payments->all(), false), 'id')`,
  });
  expect(result).toEqual(['a', 'b', 'c', 'd']);
});

function events(seqs: number[], nextAfter: number): Answer {
  return success({ events: seqs.map((seq) => ({ seq })), nextAfter });
}

it('the PHP client follows events by cursor while the daemon restarts', async () => {
  const { result, pauses } = await call([events([1, 4], 4), NO_ANSWER, events([], 4), events([9], 9)], {
    code: `(function () use ($till) {
      $seen = [];
      foreach ($till->events->follow(0) as $event) {
        $seen[] = $event['seq'];
        if ($event['seq'] === 9) return $seen;
      }
    })()`,
  });
  expect(result).toEqual([1, 4, 9]);
  expect(pauses).toHaveLength(1);
  const revoked = await call([events([1], 1), refusal(401, 'UNAUTHORISED')], {
    code: `iterator_to_array($till->events->follow(0), false)`,
  });
  expect(revoked.error).toMatchObject({ class: 'Tilld\\AuthenticationException' });
});

it('the PHP client throws when the server repeats pages forever', async () => {
  const page = success({ customers: [{ id: '1' }], pagination: { page: 1, limit: 1, total: 1_000_000 } });
  const { error, keys } = await call([page], { code: `iterator_to_array($till->customers->all(), false)` });
  expect(error).toMatchObject({ code: 'UNREADABLE' });
  expect(keys).toHaveLength(11);
});
