import type { Logger } from '../../domain/ports.ts';

/** After this many failures in one run, the cause is not in single payments. */
const MOST_FAILURES = 20;

/**
 * Continues a run past payments whose update fails: each is logged and retried in the next run, without
 * delaying the following ones. Returns null for it.
 * @throws the last failure when there are too many
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
      logger.error({ paymentId, err: error }, 'payment update failed; will retry');
      if (failures >= MOST_FAILURES) throw error;
      return null;
    }
  };
}
