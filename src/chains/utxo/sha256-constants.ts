import { ROUNDS } from './block-layout.ts';

/** SHA-256's constants (FIPS 180-4, 4.2.2 and 5.3.3), calculated. */

const WORDS = 8;

/** The first 32 bits of the fractions of the square (2) or cube (3) roots of the first primes. */
function rootsOfPrimes(count: number, degree: 2 | 3): number[] {
  const primes: bigint[] = [];
  for (let candidate = 2n; primes.length < count; candidate += 1n) {
    if (primes.every((prime) => candidate % prime !== 0n)) primes.push(candidate);
  }
  return primes.map((prime) => {
    const wanted = prime << BigInt(32 * degree);
    let low = 0n;
    let high = prime << 32n;
    while (low < high) {
      const middle = (low + high + 1n) / 2n;
      if (middle ** BigInt(degree) <= wanted) low = middle;
      else high = middle - 1n;
    }
    return Number(low & 0xffff_ffffn);
  });
}

export const INITIAL_STATE: readonly number[] = rootsOfPrimes(WORDS, 2);
export const ROUND_CONSTANTS: readonly number[] = rootsOfPrimes(ROUNDS, 3);

const rotated = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** The words of all rounds for a chunk (6.2.2), by the book. */
export function scheduleOf(chunk: readonly number[]): number[] {
  const words = [...chunk];
  const word = (at: number): number => words[at] ?? 0;
  for (let at = chunk.length; at < ROUNDS; at += 1) {
    const [near, far] = [word(at - 2), word(at - 15)];
    const small0 = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
    const small1 = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
    words.push((small1 + word(at - 7) + small0 + word(at - 16)) >>> 0);
  }
  return words;
}
