import { describe, expect, it } from 'vitest';
import { Slots } from '../../../src/webhooks/slots.ts';

describe('delivery slots', () => {
  it('bounds each origin and the whole', () => {
    const slots = new Slots({ total: 6, perOrigin: 4 });
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

  it('leaves half of the room to endpoints that answer, however many are dead', () => {
    const slots = new Slots({ total: 8, perOrigin: 4 });
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

  it('trusts an endpoint again once it answers', () => {
    const slots = new Slots({ total: 2, perOrigin: 2 });
    slots.take('a');
    slots.give('a', false);
    expect([slots.take('a'), slots.take('a')]).toEqual([true, false]);
    slots.give('a', true);
    expect([slots.take('a'), slots.take('a')]).toEqual([true, true]);
  });
});
