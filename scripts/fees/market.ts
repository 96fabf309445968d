/** Fee rates of a year, hour by hour, atoms per 1,000 vB; deterministic for a seed. */

const HOURS = 365 * 24;
/** The mean rate of quiet times. */
const USUAL = 2_500;
const LEAST = 500;
/** Hourly autocorrelation of the logarithm of the rate around the mean, and its noise. */
const MEMORY = 0.97;
const NOISE = 0.22;

/** A fee spike: its first hour, its rise time and half-life, and its peak. */
const SPIKES = [
  { from: 107 * 24, riseHours: 6, halfHours: 60, peak: 300_000 },
  { from: 40 * 24, riseHours: 3, halfHours: 12, peak: 60_000 },
  { from: 230 * 24, riseHours: 3, halfHours: 18, peak: 90_000 },
  { from: 311 * 24, riseHours: 2, halfHours: 8, peak: 45_000 },
];

/** Mulberry32: numbers from 0 to 1, deterministic for a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function yearOfRates(random: () => number): bigint[] {
  let away = 0;
  return Array.from({ length: HOURS }, (_, hour) => {
    const gauss = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    away = MEMORY * away + NOISE * gauss;
    const quiet = Math.max(LEAST, USUAL * Math.exp(away));
    return BigInt(Math.round(SPIKES.reduce((rate, spike) => Math.max(rate, inSpike(spike, hour)), quiet)));
  });
}

function inSpike({ from, riseHours, halfHours, peak }: (typeof SPIKES)[number], hour: number): number {
  if (hour < from) return 0;
  const risen = Math.min(1, (hour - from + 1) / riseHours);
  return peak * risen * 0.5 ** (Math.max(0, hour - from - riseHours) / halfHours);
}
