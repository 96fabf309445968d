import type { Mischief } from '../mischief.ts';
import type { Random } from '../random.ts';

/** A gateway in front of the node responds with an error. */
export function badGateway(random: Random): Mischief {
  const probability = random.pick([0.3, 1]);
  const status = random.pick([500, 502, 503, 504]);
  return {
    name: 'bad-gateway',
    details: `${status}, ${probability * 100} %`,
    interrupt: () => (random.chance(probability) ? { kind: 'status', status } : null),
  };
}
