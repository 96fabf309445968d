import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { STREAM_LIMITS } from '../../../src/http/checkout/event-streams.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start({ TILLD_TRUST_PROXY: '1' });
  await till.ready();
  shop = await Shop.open(till.api);
});
afterAll(async () => till?.end());

interface Tab {
  /** Statuses heard so far, with the time of each. */
  readonly heard: { status: string }[];
  readonly httpStatus: number;
  leave(): void;
}

/** Opens the stream of a payment as a browser behind some address does. */
async function openTab(paymentId: string, address: string): Promise<Tab> {
  const leaving = new AbortController();
  const answer = await fetch(`${till.api.baseUrl}/checkout/${paymentId}/events`, {
    headers: { 'x-forwarded-for': address },
    signal: leaving.signal,
  });
  const heard: Tab['heard'] = [];
  const listen = async (): Promise<void> => {
    let text = '';
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (\{.*)$/m.exec(block)?.[1];
        if (data === undefined) continue;
        heard.push({ status: (JSON.parse(data) as { status: string }).status });
      }
    }
  };
  // It ends by our leaving.
  void listen().catch(() => undefined);
  return { heard, httpStatus: answer.status, leave: () => leaving.abort() };
}

const heardBy = async (tabs: readonly Tab[], count: number): Promise<unknown> =>
  eventually(
    'every tab has heard',
    () => tabs.filter(({ heard }) => heard.length >= count).length,
    (ready) => ready === tabs.length,
  );

describe('two hundred open checkout pages with event streams', () => {
  it('cause no query while nothing changes, and receive a change before the next periodic comparison', async () => {
    const popular = await shop.createPayment();
    const others = await Promise.all(Array.from({ length: 10 }, async () => shop.createPayment()));
    const tabs = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const { id } = index < 100 ? popular : others[index % 10]!;
        return openTab(id, `198.51.${index % 250}.7`);
      }),
    );
    await heardBy(tabs, 1);

    // Statements are prepared once and kept: what counts is how often they are run.
    const statement = Object.getPrototypeOf(
      new Database(':memory:').prepare('SELECT 1'),
    ) as Database.Statement;
    const all = vi.spyOn(statement, 'all');
    const sent = (part: string): number =>
      all.mock.contexts.filter((ran) => (ran as Database.Statement).source.includes(part)).length;
    /** All that is shown is compared with the database in one query, every twelve seconds. */
    const comparisons = (): number => sent('"payments"."id" in (?, ?,');
    await eventually('a comparison', comparisons, (count) => count > 0);
    expect(comparisons()).toBe(1);
    // What a page reads of its payment.
    expect(sent('from "payments" where "id" = +?')).toBe(0);

    await till.api.must('POST', '/payment/cancel', {
      token: shop.secretKey,
      body: { paymentId: popular.id },
    });
    const watching = tabs.slice(0, 100);
    await heardBy(watching, 2);
    expect(new Set(watching.map(({ heard }) => heard[1]!.status))).toEqual(new Set(['cancelled']));
    // By the news of it, before the next comparison.
    expect(comparisons()).toBe(1);
    all.mockRestore();
    expect(tabs.slice(100).every(({ heard }) => heard.length === 1)).toBe(true);
    for (const tab of tabs) tab.leave();
  });

  it('receive each confirmation of a payment and its final status when blocks are read', async () => {
    const { id } = await shop.createPayment();
    const tab = await openTab(id, '203.0.113.1');
    await heardBy([tab], 1);
    await till.api.must('POST', '/sandbox/payment/simulate', {
      token: shop.secretKey,
      body: { paymentId: id, scenario: 'exact', coin: 'BTC' },
    });
    await eventually(
      'it is completed',
      () => tab.heard.at(-1)?.status,
      (status) => status === 'completed',
    );
    const confirming = tab.heard.filter(({ status }) => status === 'confirming');
    // On a busy machine two blocks may be shown in one step.
    expect(confirming.length).toBeGreaterThanOrEqual(1);
  });

  it('are limited per client address, and a closed page frees its slot', async () => {
    const { id } = await shop.createPayment();
    const address = '203.0.113.9';
    const tabs = await Promise.all(
      Array.from({ length: STREAM_LIMITS.maxPerClient }, async () => openTab(id, address)),
    );
    expect(new Set(tabs.map(({ httpStatus }) => httpStatus))).toEqual(new Set([200]));
    expect((await openTab(id, address)).httpStatus).toBe(204);
    expect((await openTab(id, '203.0.113.10')).httpStatus).toBe(200);
    tabs[0]!.leave();
    await eventually(
      'there is room',
      async () => (await openTab(id, address)).httpStatus,
      (status) => status === 200,
    );
  });

  it('end when the payment does not exist', async () => {
    expect((await openTab('pay_none', '203.0.113.3')).httpStatus).toBe(404);
  });
});
