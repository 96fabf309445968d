import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snapshotBody, MAX_EVENT_BODY_BYTES } from '../../../src/usecases/events/event-body.ts';
import { newId } from '../../../src/usecases/events/new-id.ts';

const body = (payment: object) => ({
  id: 'evt_1',
  type: 'payment.completed' as const,
  timestamp: '2026-11-20T12:00:00.000Z',
  sandbox: true,
  sequence: 3,
  data: { payment },
});
interface Parsed {
  truncated?: true;
  data: { payment: Record<string, unknown> };
}
const freeze = (payment: object) => JSON.parse(snapshotBody(body(payment))) as Parsed;

describe('snapshotBody of an event', () => {
  it('returns a small event unchanged', () => {
    expect(freeze({ id: 'pay_1', metadata: { a: 1 } })).toEqual(body({ id: 'pay_1', metadata: { a: 1 } }));
  });

  it('stays under 20 kB whatever metadata and custom fields contain, and marks the event as truncated', () => {
    fc.assert(
      fc.property(fc.nat({ max: 16_000 }), fc.nat({ max: 16_000 }), fc.boolean(), (m, c, wide) => {
        const fill = (size: number) => ({ text: wide ? 'é'.repeat(size / 2) : 'x'.repeat(size) });
        const payment = { id: 'pay_1', metadata: fill(m), customFields: fill(c) };
        const text = snapshotBody(body(payment));
        expect(Buffer.byteLength(text)).toBeLessThan(MAX_EVENT_BODY_BYTES);
        const parsed = JSON.parse(text) as Parsed;
        const isWhole =
          parsed.data.payment['customFields'] !== null && parsed.data.payment['metadata'] !== null;
        expect(parsed.truncated).toBe(isWhole ? undefined : true);
      }),
    );
  });

  it('shortens the history before it drops custom fields, and drops these before metadata', () => {
    const entries = Array.from({ length: 300 }, (_, index) => ({ index, text: 'x'.repeat(60) }));
    const long = freeze({ timeline: entries, transactions: [], customFields: { a: 1 }, metadata: { b: 1 } });
    expect(long).toMatchObject({
      truncated: true,
      data: { payment: { customFields: { a: 1 }, metadata: { b: 1 } } },
    });
    expect(long.data.payment['timeline']).toEqual(entries.slice(-20));
    const both = freeze({ customFields: { a: 'x'.repeat(15_000) }, metadata: { b: 'x'.repeat(15_000) } });
    expect(both.data.payment['customFields']).toBeNull();
    expect(both.data.payment['metadata']).toEqual({ b: 'x'.repeat(15_000) });
  });
});

describe('newId of a stored object', () => {
  it('returns the prefix and 24 base62 characters, and uses all 62 characters', () => {
    const ids = Array.from({ length: 2_000 }, () => newId('evt_'));
    for (const id of ids) expect(id).toMatch(/^evt_[0-9A-Za-z]{24}$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids.join('').replaceAll('evt_', '')).size).toBe(62);
  });
});
