import type { Mischief } from '../mischief.ts';
import type { Random } from '../random.ts';

/** Methods that submit signed transactions. */
const SEND_METHODS: ReadonlySet<string> = new Set([
  'sendrawtransaction',
  'eth_sendRawTransaction',
  'sendTransaction',
]);

/** The node accepts the bytes of a send, but the response is lost. */
export function lostAnswer(random: Random): Mischief {
  const probability = random.pick([0.5, 1]);
  return {
    name: 'lost-answer',
    details: `${probability * 100} % of sends`,
    interrupt: (calls) =>
      calls.some(({ method }) => SEND_METHODS.has(method)) && random.chance(probability)
        ? { kind: random.chance(0.5) ? 'hangAfter' : 'resetAfter' }
        : null,
  };
}
