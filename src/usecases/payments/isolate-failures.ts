import type { Logger } from '../../domain/ports.ts';

/** After so many failures in one run the trouble is not that of single payments. */
const MOST_FAILURES = 20;

/**
 * Lets a run go on past payments that cannot be carried on: each is named in the log and comes again with the
 * next run, and those behind it are not kept waiting. Answers null for it.
 * @throws what stopped the last of too many
 */
export function isolateFailures(
  logger: Pick<Logger, 'error'>,
): <T>(paymentId: string, work: () => Promise<T>) => Promise<T | null> {
  let failures = 0;
  return async (paymentId, work) => {
    try {
      return await work();
    } catch (error) {
      failures += 1;
      logger.error({ paymentId, err: error }, 'payment update failed; retried');
      if (failures >= MOST_FAILURES) throw error;
      return null;
    }
  };
}
