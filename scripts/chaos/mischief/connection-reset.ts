import type { Mischief } from '../mischief.ts';
import type { Random } from '../random.ts';

/** Connections break, before or after the node received the request. */
export function connectionReset(random: Random): Mischief {
  const probability = random.pick([0.2, 0.6]);
  return {
    name: 'connection-reset',
    details: `${probability * 100} %`,
    interrupt: () =>
      random.chance(probability) ? { kind: random.chance(0.5) ? 'reset' : 'resetAfter' } : null,
  };
}
