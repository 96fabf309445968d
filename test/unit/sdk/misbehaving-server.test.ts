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

describe('answers', () => {
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
  ] as const)('%s', async (_, body, status, code, attempts) => {
    const { till, asked } = server([() => Response.json(body, { status })]);
    const asking = settled(till.payments.list());
    await vi.runAllTimersAsync();
    expect(await asking).toMatchObject({ code, status });
    expect(asked).toHaveLength(attempts);
  });

  it.each(['31536000', '-5', '0', 'soon', '', '1e9', '9'.repeat(400)])(
    'Retry-After: %s, for ever',
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

  it.each(['-5', 'soon', 'Sat, 01 Jan 2000 00:00:00 GMT'])('Retry-After: %s says nothing', async (after) => {
    const { till, asked } = server([refusal(429, { 'retry-after': after })]);
    const asking = settled(till.payments.list());
    await vi.runAllTimersAsync();
    expect(await asking).toMatchObject({ retryAfterMs: null });
    expect(asked[1]!.at - asked[0]!.at).toBeGreaterThanOrEqual(375);
  });

  it('what no time makes better is not tried again, though its status is 503', async () => {
    const error = { status: 503, code: 'COIN_UNAVAILABLE', message: 'no coin' };
    const { till, asked } = server([
      () => Response.json({ success: false, error, data: null }, { status: 503 }),
    ]);
    expect(await settled(till.payments.list())).toMatchObject({ code: 'COIN_UNAVAILABLE', retryable: false });
    expect(asked).toHaveLength(1);
  });

  it('a daemon that is not ready says so, and is no failure', async () => {
    const error = { status: 503, code: 'NODE_UNAVAILABLE', message: 'Not ready' };
    const data = { ready: false, database: 'ok', chains: {}, warnings: [] };
    const { till, asked } = server([() => Response.json({ success: false, error, data }, { status: 503 })]);
    expect(await till.service.readyz()).toEqual(data);
    expect(asked).toHaveLength(1);
  });

  it('a Retry-After of a year is no timer that overflows', async () => {
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

describe('events', () => {
  it('a cursor that goes back brings nothing twice', async () => {
    const { seqs, asked } = await follow(
      [page([3, 5], 5), page([3, 5], 1), page([4, 6], 6), page([], 6)],
      10_000,
    );
    expect(seqs).toEqual([3, 5, 6]);
    expect(asked.slice(0, 4).map(({ url }) => url.searchParams.get('after'))).toEqual(['2', '5', '5', '6']);
  });

  it('a job ends though the same page comes for ever', async () => {
    const { till, asked } = server([page([3, 5], 5), page([3, 5], 3)]);
    const seqs: number[] = [];
    for await (const { seq } of till.events.since({ after: 0 })) seqs.push(seq);
    expect(seqs).toEqual([3, 5]);
    expect(asked).toHaveLength(2);
  });

  it.each([2, 0])('a cursor that stays or goes back beside new events: %s', async (nextAfter) => {
    const { till, asked } = server([page([3, 4], nextAfter), page([], nextAfter)]);
    const seqs: number[] = [];
    for await (const { seq } of till.events.since({ after: 2 })) seqs.push(seq);
    expect(seqs).toEqual([3, 4]);
    expect(asked.map(({ url }) => url.searchParams.get('after'))).toEqual(['2', '4']);
  });

  it('no cursor at all: an error, and not the end', async () => {
    const { till } = server([
      () => Response.json({ success: true, error: null, data: { events: [{ seq: 3 }] } }),
    ]);
    const listening = settled(till.events.since({ after: 2 }).next());
    expect(await listening).toMatchObject({ code: 'UNREADABLE' });
  });

  it('one failure among many answers is not the last of many failures', async () => {
    const failing = refusal(503);
    const answers = Array.from({ length: 12 }, (_, round) => [failing, page([round + 3], round + 3)]).flat();
    const { seqs } = await follow([...answers, page([], 14)], 30_000);
    expect(seqs).toHaveLength(12);
  });

  it('a server that does not wait is not asked without a pause', async () => {
    const { asked } = await follow([page([], 2)], 10_000);
    expect(asked.length).toBeLessThanOrEqual(11);
    expect(asked.length).toBeGreaterThan(5);
  });

  it.each(['0', '-1', '31536000'])('nor one that is overloaded for ever: Retry-After %s', async (after) => {
    const { asked } = await follow([refusal(429, { 'retry-after': after })], 600_000);
    expect(asked.length).toBeLessThan(40);
    expect(asked.length).toBeGreaterThan(1);
  });
});

describe('requests', () => {
  it('a full last page is not followed by an empty one', async () => {
    const customers = Array.from({ length: 100 }, (_, id) => ({ id: String(id) }));
    const data = { customers, pagination: { page: 1, limit: 100, total: 100 } };
    const { till, asked } = server([() => Response.json({ success: true, error: null, data })]);
    let seen = 0;
    for await (const _ of till.customers.all()) seen += 1;
    expect([seen, asked.length]).toEqual([100, 1]);
    expect(asked[0]?.url.search).toBe('?page=1&limit=100');
  });

  it('pages that repeat for ever end with an error', async () => {
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

  it('an input that may be left out is sent as an empty one', async () => {
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

describe('mistakes of the caller', () => {
  it('what cannot be written as JSON is told as that, once', async () => {
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
  ])('baseUrl %s', (baseUrl) => {
    expect(() => new Tilld({ baseUrl })).toThrow(/baseUrl must be/);
    expect(() => new Tilld({ baseUrl })).not.toThrow(/secret/);
  });

  it('baseUrl may have a path', async () => {
    const { till, asked } = server([page([], 0)], { baseUrl: 'https://shop.example/till/' });
    await till.events.list();
    expect(asked[0]?.url.href).toBe('https://shop.example/till/merchant/events');
  });
});

it.each([
  ['constructor', null],
  ['underpaid', 'constructor'],
  ['__proto__', null],
])('a payment that is %s/%s is in no state', (status, exception) => {
  expect(() => shopState({ status, exception } as unknown as Payment)).toThrow(RangeError);
});
