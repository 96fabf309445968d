import type { Mischief } from '../mischief.ts';
import type { Random } from '../random.ts';
import { badGateway } from './bad-gateway.ts';
import { connectionReset } from './connection-reset.ts';
import { lostAnswer } from './lost-answer.ts';
import { rateLimit } from './rate-limit.ts';
import { timeout } from './timeout.ts';

/** Network faults, for nodes of every family. */
export const COMMON_MISCHIEFS: readonly ((random: Random) => Mischief)[] = [
  rateLimit,
  badGateway,
  connectionReset,
  lostAnswer,
  timeout,
];
