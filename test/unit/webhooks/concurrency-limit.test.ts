import { describe, expect, it } from 'vitest';
import { endpointKey } from '../../../src/store/webhooks/endpoint-key.ts';
import { ConcurrencyLimit } from '../../../src/workers/webhook-delivery/concurrency-limit.ts';

const endpoint = (merchant: string, path: string) => endpointKey(merchant, `https://hooks.example${path}`);

describe('slots for concurrent webhook deliveries', () => {
  it('are limited per origin and in total', () => {
    const slots = new ConcurrencyLimit({ total: 6, perEndpoint: 4 });
    const taken = (origin: string, tries: number) =>
      Array.from({ length: tries }, () => slots.take(origin)).filter(Boolean).length;
    expect(taken('a', 10)).toBe(4);
    expect(slots.full()).toEqual(['a']);
    expect(taken('b', 10)).toBe(2);
    expect(slots.free).toBe(0);
    slots.give('a', true);
    expect(slots.free).toBe(1);
    expect(slots.full()).toEqual([]);
  });

  it('are reserved by half for endpoints that respond, however many endpoints are dead', () => {
    const slots = new ConcurrencyLimit({ total: 8, perEndpoint: 4 });
    const dead = Array.from({ length: 20 }, (_, index) => `dead-${index}`);
    for (const origin of dead) {
      expect(slots.take(origin)).toBe(true);
      slots.give(origin, false);
    }
    expect(dead.filter((origin) => slots.take(origin))).toHaveLength(4);
    expect(slots.full()).toEqual(expect.arrayContaining(dead));
    expect(slots.take('alive')).toBe(true);
    expect(slots.free).toBe(3);
  });

  it('treat an endpoint as alive again once it responds', () => {
    const slots = new ConcurrencyLimit({ total: 2, perEndpoint: 2 });
    slots.take('a');
    slots.give('a', false);
    expect([slots.take('a'), slots.take('a')]).toEqual([true, false]);
    slots.give('a', true);
    expect([slots.take('a'), slots.take('a')]).toEqual([true, true]);
  });

  it('do not count dead endpoints against another one at the same origin', () => {
    const slots = new ConcurrencyLimit({ total: 16, perEndpoint: 4 });
    const [slow, quick] = [endpoint('m1', '/slow?order=1'), endpoint('m1', '/quick')];
    expect([slow, slow, slow, slow, slow].map((each) => slots.take(each))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    // One that is not known to answer shares what its origin has of the room; one that answered does not.
    expect(slots.take(quick)).toBe(false);
    slots.give(slow, false);
    expect(slots.take(quick)).toBe(true);
    slots.give(quick, true);
    for (const shop of ['m2', 'm3']) slots.take(endpoint(shop, '/slow'));
    expect(slots.take(quick)).toBe(true);
    expect(slots.free).toBeGreaterThanOrEqual(8);
  });

  it('distinguish endpoints by merchant and path, and remember a bounded number per origin', () => {
    const keys = Array.from({ length: 5_000 }, (_, order) =>
      endpointKey('m1', `https://a.example/orders/${order}`),
    );
    expect(new Set(keys).size).toBeLessThanOrEqual(32);
    expect(endpointKey('m1', 'https://a.example/x?order=1')).toBe(
      endpointKey('m1', 'https://a.example/x?order=2'),
    );
    expect(endpointKey('m1', 'https://a.example/x')).not.toBe(endpointKey('m2', 'https://a.example/x'));
    expect(endpointKey('m1', 'https://a.example/slow')).not.toBe(
      endpointKey('m1', 'https://a.example/quick'),
    );
  });
});
