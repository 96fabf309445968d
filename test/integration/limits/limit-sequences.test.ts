/**
 * Sends, approvals, claims, forwards, fees, changed limits, freezes, reorgs and restarts in any order: what leaves without
 * an approval is within the limits in force. `LIMIT_RUNS=200 npx vitest run …` plays as many.
 */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  DAY_MS,
  DOLLAR,
  KEY_ATOMS_PER_DAY,
  LimitedShop,
  limitStep,
  startOfDay,
} from '../../_helpers/limit-sequences.ts';

const RUNS = Number(process.env.LIMIT_RUNS ?? 8);
const TIMEOUT_MS = 300_000 + RUNS * 60_000;

type Row = Awaited<ReturnType<LimitedShop['sends']>>[number];

const isOf = (day: number) => (row: Row) => row.createdAt >= day && row.createdAt < day + DAY_MS;
const atomsOf = (rows: readonly Row[]): bigint =>
  rows.filter(({ purpose }) => purpose === 'send').reduce((sum, { amount }) => sum + BigInt(amount), 0n);
const feesOf = (rows: readonly Row[]): bigint =>
  rows
    .filter(({ purpose, drawsOn }) => purpose === 'sweep' && drawsOn === null)
    .reduce((sum, { fee }) => sum + BigInt(fee), 0n);

/** The books of the test: amounts and fees of the day, without the sums that the code keeps. */
async function check(shop: LimitedShop, known: ReadonlySet<string>): Promise<void> {
  const rows = await shop.sends();
  const made = rows.filter(({ id }) => !known.has(id));
  if (made.length === 0) return;
  expect(shop.isFrozen).toBe(false);
  const day = startOfDay(shop.now);
  const today = rows.filter(isOf(day)).filter(({ status }) => status !== 'failed');
  const perSend = shop.limits.at('perSend', shop.now);
  const perDay = shop.limits.at('perDay', shop.now);
  for (const row of made) {
    if (row.isApproved) continue;
    const counted = row.purpose === 'send' ? BigInt(row.amount) : BigInt(row.fee);
    if (perSend !== null) expect(counted).toBeLessThanOrEqual(BigInt(perSend) * DOLLAR);
    if (perDay !== null) {
      const limit = BigInt(perDay) * DOLLAR;
      const [sent, burnt] = [atomsOf(today), feesOf(today)];
      const free = limit / 10n;
      const beyond = burnt > free ? burnt - free : 0n;
      // Sends that a person approved may be above the limit; then only the free share of fees is left.
      if (row.purpose === 'send') expect(sent + beyond).toBeLessThanOrEqual(limit);
      else expect(beyond).toBeLessThanOrEqual(limit > sent ? limit - sent : 0n);
    }
    const { creatorKind, creatorId } = row;
    if (creatorKind === 'restricted' && row.purpose === 'send') {
      const own = today.filter((other) => other.creatorId === creatorId);
      expect(atomsOf(own)).toBeLessThanOrEqual(KEY_ATOMS_PER_DAY);
    }
  }
}

it(
  'what leaves on a day of the shop without an approval is never above the limits in force, by any interleaving',
  async () => {
    const property = fc.asyncProperty(
      fc.array(limitStep, { minLength: 10, maxLength: 25 }),
      async (steps) => {
        await using shop = await LimitedShop.open();
        for (const step of steps) {
          const known = new Set((await shop.sends()).map(({ id }) => id));
          await shop.play(step);
          await check(shop, known);
        }
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  },
  TIMEOUT_MS,
);
