import type { Mischief } from '../mischief.ts';
import type { Random } from '../random.ts';

/** Some requests are rejected with 429, with or without Retry-After. */
export function rateLimit(random: Random): Mischief {
  const probability = random.pick([0.2, 0.5, 0.9]);
  const headers: Record<string, string> = random.chance(0.5) ? { 'retry-after': '1' } : {};
  return {
    name: 'rate-limit',
    details: `${probability * 100} %${'retry-after' in headers ? ', Retry-After' : ''}`,
    interrupt: () => (random.chance(probability) ? { kind: 'status', status: 429, headers } : null),
  };
}
