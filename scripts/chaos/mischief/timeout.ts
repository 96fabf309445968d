import type { Mischief } from '../mischief.ts';
import type { Random } from '../random.ts';

/** Some requests get no response, others a late one. */
export function timeout(random: Random): Mischief {
  const probability = random.pick([0.1, 0.3]);
  return {
    name: 'timeout',
    details: `${probability * 100} %`,
    interrupt: () => {
      if (!random.chance(probability)) return null;
      return random.chance(0.3) ? { kind: 'hangAfter' } : { kind: 'delay', ms: random.int(30, 300) };
    },
  };
}
