import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changeLimits,
  CONFIRMED,
  cancelLimitIncreases,
  isUnconfirmed,
  limitsAt,
  type LimitsChange,
  NO_STORED_LIMITS,
  RAISES,
  type StoredLimits,
} from '../../../src/domain/send/limit-change.ts';
import { changeZone, startOfLimitDay } from '../../../src/domain/send/limit-day.ts';
import {
  type AllowedDestination,
  NO_LIMITS,
  type ShopLimits,
} from '../../../src/domain/send/spending-limits.ts';

const DELAY_MS = 1_000;
const NONE: StoredLimits = NO_STORED_LIMITS;
const usd = (minor: number) => ({ minor: BigInt(minor), currency: 'USD' });
const at = (label: string, watchKey = label): AllowedDestination => ({
  coin: 'BTC',
  destination: label,
  watchKey,
  label,
});
const change = (stored: StoredLimits, next: LimitsChange, now = 0): StoredLimits =>
  changeLimits(stored, next, { now, delayMs: DELAY_MS, hasSecondFactor: false });

describe('changeLimits of spending', () => {
  it('applies the first limit and a lower one immediately, and a higher one or its removal after the delay', () => {
    const first = change(NONE, { perSend: usd(100) });
    expect(first.limits.perSend).toEqual(usd(100));
    const lower = change(first, { perSend: usd(50) });
    expect(lower).toMatchObject({ limits: { perSend: usd(50) }, raises: { perSend: null } });
    for (const perSend of [usd(60), null]) {
      const raised = change(lower, { perSend });
      expect(raised.limits.perSend).toEqual(usd(50));
      expect(limitsAt(raised, DELAY_MS - 1).limits.perSend).toEqual(usd(50));
      expect(limitsAt(raised, DELAY_MS).limits.perSend).toEqual(perSend);
    }
  });

  it('applies a limit in another currency after the delay, because the two cannot be compared', () => {
    const stored = change(NONE, { perDay: usd(100) });
    const other = change(stored, { perDay: { minor: 1n, currency: 'EUR' } });
    expect(other.limits.perDay).toEqual(usd(100));
    expect(limitsAt(other, DELAY_MS).limits.perDay).toEqual({ minor: 1n, currency: 'EUR' });
  });

  it('applies an allow list and the removal of an address immediately, and an added address after the delay', () => {
    const listed = change(NONE, { allowList: [at('a'), at('b')] });
    const next = change(listed, { allowList: [at('b'), at('c')] });
    expect(next.limits.allowList).toEqual([at('b')]);
    expect(limitsAt(next, DELAY_MS).limits.allowList).toEqual([at('b'), at('c')]);
    const lifted = change(next, { allowList: null });
    expect(lifted.limits.allowList).toEqual([at('b')]);
    expect(limitsAt(lifted, DELAY_MS).limits.allowList).toBeNull();
  });

  it('does not restart the delay of an added address when the list is sent again', () => {
    const listed = change(change(NONE, { allowList: [] }), { allowList: [at('a')] });
    const again = change(listed, { allowList: [at('a'), at('b')] }, 600);
    expect(limitsAt(again, DELAY_MS).limits.allowList).toEqual([at('a')]);
  });

  it('removes an approver immediately unless none would remain, and adds one after the delay', () => {
    const stored = { ...NONE, limits: { ...NO_LIMITS, approvers: ['ann', 'bob'] } };
    expect(change(stored, { approvers: ['ann'] }).limits.approvers).toEqual(['ann']);
    expect(change(stored, { approvers: ['ann', 'eve'] }).limits.approvers).toEqual(['ann']);
    for (const approvers of [['eve'], []]) {
      const changed = change(stored, { approvers });
      expect(changed.limits.approvers).toEqual(['ann', 'bob']);
      expect(limitsAt(changed, DELAY_MS).limits.approvers).toEqual(approvers);
    }
  });

  it('confirms limits after a restore immediately with a second factor, otherwise after the delay', () => {
    const restored: StoredLimits = { ...NONE, confirmedAt: null };
    expect(isUnconfirmed(restored, 10 ** 15)).toBe(true);
    const by = (hasSecondFactor: boolean, now = 0) =>
      changeLimits(restored, {}, { now, delayMs: DELAY_MS, hasSecondFactor });
    expect(isUnconfirmed(by(true), 0)).toBe(false);
    const pending = by(false);
    expect([DELAY_MS - 1, DELAY_MS].map((now) => isUnconfirmed(pending, now))).toEqual([true, false]);
    expect(change(pending, { perSend: usd(1) }, 600).confirmedAt).toBe(DELAY_MS);
    expect(limitsAt(pending, DELAY_MS).confirmedAt).toBe(CONFIRMED);
  });

  it('does not confirm limits when pending raises are dropped, which also drops a pending confirmation', () => {
    const restored: StoredLimits = { ...NONE, confirmedAt: null };
    expect(cancelLimitIncreases(restored, RAISES, 0).confirmedAt).toBeNull();
    const pending = change(restored, {});
    expect(cancelLimitIncreases(pending, RAISES, DELAY_MS - 1).confirmedAt).toBeNull();
    expect(cancelLimitIncreases(pending, ['perSend'], 0).confirmedAt).toBe(DELAY_MS);
    expect(cancelLimitIncreases(pending, RAISES, DELAY_MS).confirmedAt).toBe(CONFIRMED);
  });

  it('keeps limits confirmed when the clock is set back', () => {
    const stored = change(NONE, { perSend: usd(1) }, 10 ** 9);
    expect(isUnconfirmed(stored, 0)).toBe(false);
  });

  it('does not apply a raise that was dropped before the end of its delay', () => {
    const raised = change(change(NONE, { perSend: usd(1), perDay: usd(1) }), {
      perSend: usd(9),
      perDay: null,
    });
    const dropped = cancelLimitIncreases(raised, ['perSend'], 0);
    expect(limitsAt(dropped, DELAY_MS).limits).toMatchObject({ perSend: usd(1), perDay: null });
  });

  it('permits nothing that was forbidden until the delay is over, whatever sequence of changes is made', () => {
    const amount = fc.option(fc.integer({ min: 0, max: 5 }).map(usd), { nil: null });
    const list = fc.option(
      fc.uniqueArray(
        fc.constantFrom('a', 'b', 'c').map((name) => at(name)),
        { selector: ({ label }) => label },
      ),
      { nil: null },
    );
    const approvers = fc.uniqueArray(fc.constantFrom('ann', 'bob', 'eve'));
    const changes = fc.record(
      { perSend: amount, perDay: amount, allowList: list, approvers },
      { requiredKeys: [] },
    );
    const steps = fc.array(fc.tuple(changes, fc.nat(DELAY_MS / 10)), { maxLength: 9 });
    fc.assert(
      fc.property(changes, steps, (before, thief) => {
        let stored: StoredLimits = { ...NONE, limits: { ...NO_LIMITS, ...before } };
        let now = 0;
        const owner = limitsAt(stored, 0).limits;
        for (const [next, wait] of thief) {
          stored = change(stored, next, now);
          now += wait;
          expect(isAtMost(limitsAt(stored, now).limits, owner)).toBe(true);
        }
      }),
    );
  });
});

function isAtMost(limits: ShopLimits, owner: ShopLimits): boolean {
  const isLess = (part: 'perSend' | 'perDay'): boolean =>
    owner[part] === null || (limits[part]?.minor ?? 10n ** 9n) <= owner[part].minor;
  const isListed = owner.allowList?.map(({ watchKey }) => watchKey) ?? null;
  const reaches =
    isListed === null ||
    (limits.allowList !== null && limits.allowList.every(({ watchKey }) => isListed.includes(watchKey)));
  const decides =
    limits.approvers.every((id) => owner.approvers.includes(id)) &&
    (limits.approvers.length > 0 || owner.approvers.length === 0);
  return isLess('perSend') && isLess('perDay') && reaches && decides;
}

describe('changeZone of a shop with a daily limit', () => {
  const ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'];

  it('does not restart the daily limit, whatever time zones are chosen within a day', () => {
    const zone = fc.constantFrom(...ZONES);
    const steps = fc.array(fc.tuple(zone, fc.integer({ min: 0, max: 4 * 3_600_000 })), { maxLength: 5 });
    fc.assert(
      fc.property(
        zone,
        steps,
        fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
        (first, moves, from) => {
          let shop = {
            timeZone: first,
            dayFloor: null as number | null,
            dayFloorUntil: null as number | null,
          };
          const begin = startOfLimitDay(shop, from);
          let now = from;
          for (const [timeZone, wait] of moves) {
            now += wait;
            const isSameDay =
              startOfLimitDay({ timeZone: first, dayFloor: null, dayFloorUntil: null }, now) === begin;
            shop = { timeZone, ...changeZone(shop, timeZone, now) };
            if (isSameDay) expect(startOfLimitDay(shop, now)).toBeLessThanOrEqual(begin);
          }
        },
      ),
    );
  });
});

describe('startOfLimitDay', () => {
  const MINUTE_MS = 60_000;
  /** The clocks of these days skip or repeat an hour, some of them at midnight. */
  const DAYS = [
    ['Europe/Berlin', '2026-03-29T12:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25T12:00:00Z', 25],
    ['Africa/Cairo', '2024-04-26T12:00:00Z', 23],
    ['Asia/Beirut', '2024-03-31T12:00:00Z', 23],
    ['Australia/Lord_Howe', '2026-04-05T02:00:00Z', 24.5],
  ] as const;

  it.each(DAYS)('counts each minute of a day in %s at %s to the same day', (timeZone, noon, hours) => {
    const shop = { timeZone, dayFloor: null, dayFloorUntil: null };
    const start = startOfLimitDay(shop, Date.parse(noon));
    const length = hours * 60;
    for (let minute = 0; minute < length; minute += 1)
      expect(startOfLimitDay(shop, start + minute * MINUTE_MS)).toBe(start);
    expect(startOfLimitDay(shop, start - 1)).toBeLessThan(start);
    expect(startOfLimitDay(shop, start + length * MINUTE_MS)).toBe(start + length * MINUTE_MS);
  });
});
