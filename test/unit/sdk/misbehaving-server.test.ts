import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  shopState,
  Tilld,
  TilldError,
  type Payment,
  type TilldOptions,
} from '../../../packages/sdk/src/index.ts';

/** Answers of a server that is not as it should be, the last one again and again; and what was asked of it. */
function server(answers: readonly (() => Response)[], options: Partial<TilldOptions> = {}) {
  const asked: { url: URL; at: number }[] = [];
  const till = new Tilld({
    baseUrl: 'http://till.example',
    key: 'sk_1',
    fetch: async (url) => {
      asked.push({ url: new URL(url), at: Date.now() });
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      return answer?.() ?? expect.unreachable('there is an answer');
    },
    ...options,
  });
  return { till, asked };
}

const page = (seqs: readonly number[], nextAfter: number) => (): Response =>
  Response.json({ success: true, error: null, data: { events: seqs.map((seq) => ({ seq })), nextAfter } });
const refusal =
  (status: number, headers: Record<string, string> = {}) =>
  (): Response =>
    Response.json(
      { success: false, error: { status, code: 'RATE_LIMITED', message: 'no' }, data: null },
      { status, headers },
    );

function settled<T>(work: Promise<T>): Promise<T | TilldError> {
  return work.catch((error: unknown) => {
    if (error instanceof TilldError) return error;
    throw error;
  });
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('SDK with unexpected responses', () => {
  it.each([
    [
      'failure with the status of success',
      { success: false, error: { code: 'INVALID_STATE', message: 'x' } },
      200,
      'INVALID_STATE',
      1,
    ],
    ['success with the status of failure', { success: true, error: null, data: {} }, 500, 'UNREADABLE', 1],
    ['no envelope', { payments: [] }, 200, 'UNREADABLE', 3],
    ['a list', [], 200, 'UNREADABLE', 3],
    ['a number', 7, 200, 'UNREADABLE', 3],
    ['null', null, 200, 'UNREADABLE', 3],
    ['an error that is no error', { success: false, error: 'broken' }, 400, 'UNREADABLE', 1],
  ] as const)('handles %s', async (_, body, status, code, attempts) => {
    const { till, asked } = server([() => Response.json(body, { status })]);
    const asking = settled(till.payments.list());
    await vi.runAllTimersAsync();
    expect(await asking).toMatchObject({ code, status });
    expect(asked).toHaveLength(attempts);
  });

  it.each(['31536000', '-5', '0', 'soon', '', '1e9', '9'.repeat(400)])(
    'waits a bounded time for retries when every response has Retry-After: %s',
    async (after) => {
      const { till, asked } = server([refusal(429, { 'retry-after': after })]);
      const began = Date.now();
      const asking = settled(till.payments.list());
      await vi.runAllTimersAsync();
      expect(await asking).toMatchObject({ code: 'RATE_LIMITED' });
      expect(asked.length).toBeLessThanOrEqual(3);
      expect(Date.now() - began).toBeLessThanOrEqual(60_000);
    },
  );

  it.each(['-5', 'soon', 'Sat, 01 Jan 2000 00:00:00 GMT'])(
    'ignores an invalid Retry-After: %s',
    async (after) => {
      const { till, asked } = server([refusal(429, { 'retry-after': after })]);
      const asking = settled(till.payments.list());
      await vi.runAllTimersAsync();
      expect(await asking).toMatchObject({ retryAfterMs: null });
      expect(asked[1]!.at - asked[0]!.at).toBeGreaterThanOrEqual(375);
    },
  );

  it('does not retry an error that is not temporary, even with status 503', async () => {
    const error = { status: 503, code: 'COIN_UNAVAILABLE', message: 'no coin' };
    const { till, asked } = server([
      () => Response.json({ success: false, error, data: null }, { status: 503 }),
    ]);
    expect(await settled(till.payments.list())).toMatchObject({ code: 'COIN_UNAVAILABLE', retryable: false });
    expect(asked).toHaveLength(1);
  });

  it('returns the readiness of a daemon that is not ready without throwing', async () => {
    const error = { status: 503, code: 'NODE_UNAVAILABLE', message: 'Not ready' };
    const data = { ready: false, database: 'ok', chains: {}, warnings: [] };
    const { till, asked } = server([() => Response.json({ success: false, error, data }, { status: 503 })]);
    expect(await till.service.readyz()).toEqual(data);
    expect(asked).toHaveLength(1);
  });

  it('does not overflow a timer on a Retry-After of a year', async () => {
    const { till, asked } = server([refusal(429, { 'retry-after': '31536000' })], {
      retryBudgetMs: Infinity,
    });
    const asking = settled(till.payments.list());
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(asked).toHaveLength(1);
    await vi.runAllTimersAsync();
    await asking;
  });
});

async function follow(answers: readonly (() => Response)[], ms: number) {
  const controller = new AbortController();
  const { till, asked } = server(answers);
  const seqs: number[] = [];
  const following = (async () => {
    for await (const { seq } of till.events.follow({ after: 2, signal: controller.signal })) seqs.push(seq);
  })();
  await vi.advanceTimersByTimeAsync(ms);
  controller.abort();
  await vi.runAllTimersAsync();
  await following;
  return { seqs, asked };
}

describe('SDK events.follow on unexpected pages', () => {
  it('delivers no event twice when the server returns an older cursor', async () => {
    const { seqs, asked } = await follow(
      [page([3, 5], 5), page([3, 5], 1), page([4, 6], 6), page([], 6)],
      10_000,
    );
    expect(seqs).toEqual([3, 5, 6]);
    expect(asked.slice(0, 4).map(({ url }) => url.searchParams.get('after'))).toEqual(['2', '5', '5', '6']);
  });

  it('ends on abort although the server returns the same page again and again', async () => {
    const { till, asked } = server([page([3, 5], 5), page([3, 5], 3)]);
    const seqs: number[] = [];
    for await (const { seq } of till.events.since({ after: 0 })) seqs.push(seq);
    expect(seqs).toEqual([3, 5]);
    expect(asked).toHaveLength(2);
  });

  it.each([2, 0])(
    'pauses when the server returns new events with an unchanged or older cursor: %s',
    async (nextAfter) => {
      const { till, asked } = server([page([3, 4], nextAfter), page([], nextAfter)]);
      const seqs: number[] = [];
      for await (const { seq } of till.events.since({ after: 2 })) seqs.push(seq);
      expect(seqs).toEqual([3, 4]);
      expect(asked.map(({ url }) => url.searchParams.get('after'))).toEqual(['2', '4']);
    },
  );

  it('throws, instead of ending, when a page has no cursor', async () => {
    const { till } = server([
      () => Response.json({ success: true, error: null, data: { events: [{ seq: 3 }] } }),
    ]);
    const listening = settled(till.events.since({ after: 2 }).next());
    expect(await listening).toMatchObject({ code: 'UNREADABLE' });
  });

  it('counts failures in a row only since the last successful response', async () => {
    const failing = refusal(503);
    const answers = Array.from({ length: 12 }, (_, round) => [failing, page([round + 3], round + 3)]).flat();
    const { seqs } = await follow([...answers, page([], 14)], 30_000);
    expect(seqs).toHaveLength(12);
  });

  it('pauses between requests to a server that does not long-poll', async () => {
    const { asked } = await follow([page([], 2)], 10_000);
    expect(asked.length).toBeLessThanOrEqual(11);
    expect(asked.length).toBeGreaterThan(5);
  });

  it.each(['0', '-1', '31536000'])(
    'limits requests to an overloaded server that sends Retry-After %s',
    async (after) => {
      const { asked } = await follow([refusal(429, { 'retry-after': after })], 600_000);
      expect(asked.length).toBeLessThan(40);
      expect(asked.length).toBeGreaterThan(1);
    },
  );
});

describe('SDK pagination and inputs', () => {
  it('requests no further page after a full last page', async () => {
    const customers = Array.from({ length: 100 }, (_, id) => ({ id: String(id) }));
    const data = { customers, pagination: { page: 1, limit: 100, total: 100 } };
    const { till, asked } = server([() => Response.json({ success: true, error: null, data })]);
    let seen = 0;
    for await (const _ of till.customers.all()) seen += 1;
    expect([seen, asked.length]).toEqual([100, 1]);
    expect(asked[0]?.url.search).toBe('?page=1&limit=100');
  });

  it('throws when the server repeats pages forever', async () => {
    const data = { customers: [{ id: '1' }], pagination: { page: 1, limit: 1, total: 1_000_000 } };
    const { till, asked } = server([() => Response.json({ success: true, error: null, data })]);
    const seen: unknown[] = [];
    const reading = settled(
      (async () => {
        for await (const customer of till.customers.all()) seen.push(customer);
      })(),
    );
    expect(await reading).toMatchObject({ code: 'UNREADABLE' });
    expect([seen.length, asked.length]).toEqual([1, 11]);
  });

  it('sends an empty object when an optional input is omitted', async () => {
    const sent: (string | undefined)[] = [];
    const ask = async (_: string, { body }: RequestInit): Promise<Response> => {
      sent.push(body as string | undefined);
      return Response.json({ success: true, error: null, data: {} });
    };
    const till = new Tilld({ baseUrl: 'http://till.example', fetch: ask });
    await till.webhooks.test();
    await till.webhooks.rotateSecret();
    expect(sent).toEqual(['{}', undefined]);
  });
});

describe('SDK with invalid arguments', () => {
  it('throws once for a value that cannot be serialised as JSON', async () => {
    const { till, asked } = server([page([], 0)]);
    const body = { orderId: '1', amount: 1n as unknown as string, currency: 'EUR', customer: {} };
    await expect(till.payments.create(body)).rejects.toThrow(TypeError);
    expect(asked).toHaveLength(0);
  });

  it.each([
    'http://user:secret@till.example',
    'http://till.example/?a=1',
    'http://till.example/#a',
    'http://',
    'till',
  ])('rejects baseUrl %s', (baseUrl) => {
    expect(() => new Tilld({ baseUrl })).toThrow(/baseUrl must be/);
    expect(() => new Tilld({ baseUrl })).not.toThrow(/secret/);
  });

  it('accepts a baseUrl with a path', async () => {
    const { till, asked } = server([page([], 0)], { baseUrl: 'https://shop.example/till/' });
    await till.events.list();
    expect(asked[0]?.url.href).toBe('https://shop.example/till/merchant/events');
  });
});

it.each([
  ['constructor', null],
  ['underpaid', 'constructor'],
  ['__proto__', null],
])('shopState throws for a payment in the unknown state %s/%s', (status, exception) => {
  expect(() => shopState({ status, exception } as unknown as Payment)).toThrow(RangeError);
});
