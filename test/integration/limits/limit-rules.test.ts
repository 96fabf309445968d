/** One test for each rule of the limits, so that the broken rule is named; limit-sequences.test.ts mixes them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, LimitedShop, startOfDay } from '../../_helpers/limit-sequences.ts';

type Step = Parameters<LimitedShop['play']>[0];
type Orderer = Extract<Step, { do: 'send' }>['by'];

const MINUTE_MS = 60_000;

let shop: LimitedShop;
beforeEach(async () => {
  shop = await LimitedShop.open();
});
afterEach(async () => shop[Symbol.asyncDispose]());

/** Whether a step made a send, instead of holding it for an approval. */
async function makes(step: Step): Promise<boolean> {
  const before = (await shop.sends()).length;
  await shop.play(step);
  return (await shop.sends()).length > before;
}
const sends = async (dollars: number, by: Orderer = 'owner') => makes({ do: 'send', by, dollars });
const limit = async (part: 'perSend' | 'perDay', dollars: Extract<Step, { do: 'limit' }>['dollars']) =>
  shop.play({ do: 'limit', part, dollars });
/** Moves the clock to some minutes after the next day of the shop begins; negative: before. */
function goToDay(minutes: number): void {
  const { clock } = shop.links.shop.world;
  const begins = startOfDay(clock.now()) + DAY_MS + minutes * MINUTE_MS;
  clock.advance(begins <= clock.now() ? begins + DAY_MS - clock.now() : begins - clock.now());
}

describe('a limit', () => {
  it('per send is inclusive: an equal amount is sent, and one atom more needs an approval', async () => {
    await limit('perSend', 25);
    expect([await sends(25), await sends(25.000001), await sends(25)]).toEqual([true, false, true]);
  });

  it('per day is inclusive of all sends of the day, the new one included', async () => {
    await limit('perDay', 40);
    expect([await sends(20), await sends(20.000001), await sends(20), await sends(0.01)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('per day counts what a claim of a refund link took', async () => {
    await shop.play({ do: 'link' });
    await limit('perDay', 80);
    await shop.play({ do: 'claim' });
    expect(await makes({ do: 'send claims' })).toBe(true);
    const claimed = (await shop.sends()).reduce((sum, { amount }) => sum + Number(amount), 0) / 1e6;
    expect(claimed).toBeGreaterThan(1);
    expect([await sends(80 - claimed + 0.01), await sends(80 - claimed - 0.01)]).toEqual([false, true]);
  });

  it('per day counts forwards', async () => {
    await limit('perDay', 40);
    expect(await makes({ do: 'forward' })).toBe(true);
    expect(await sends(5)).toBe(false);
  });

  it('of a key counts the sends of this key alone, and no other credential is bound by it', async () => {
    const made = [
      await sends(45, 'first key'),
      await sends(20, 'first key'),
      await sends(12, 'first key'),
      await sends(20, 'second key'),
      await sends(12, 'second key'),
      await sends(10, 'first key'),
      await sends(45),
    ];
    expect(made).toEqual([false, true, false, true, false, true, true]);
  });

  it('per day begins with the day in the zone of the shop', async () => {
    await limit('perDay', 40);
    goToDay(-5);
    expect([await sends(40), await sends(1)]).toEqual([true, false]);
    goToDay(5);
    expect([await sends(40), await sends(1)]).toEqual([true, false]);
  });

  it('per day lasts beyond midnight in UTC', async () => {
    await limit('perDay', 40);
    const { clock } = shop.links.shop.world;
    clock.advance(DAY_MS - (clock.now() % DAY_MS) - 5 * MINUTE_MS);
    expect(await sends(40)).toBe(true);
    clock.advance(10 * MINUTE_MS);
    expect(await sends(1)).toBe(false);
  });

  it('is raised after the delay, and lowered at once', async () => {
    await limit('perSend', 25);
    await limit('perSend', 40);
    expect(await sends(30)).toBe(false);
    shop.links.shop.world.clock.advance(DAY_MS);
    expect(await sends(30)).toBe(true);
    await limit('perSend', 25);
    expect(await sends(30)).toBe(false);
  });
});
