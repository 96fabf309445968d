export interface Coalesced {
  /** Resolves once a round that began after the call has ended. Never rejects. */
  (): Promise<void>;
  /** Waits for the rounds that run or were requested. */
  idle(): Promise<void>;
}

/**
 * Runs rounds that never overlap: all calls during one share the next, which sees what was stored before them.
 * @param onError gets what a round throws
 */
export function coalesce(round: () => Promise<void>, onError: (error: unknown) => void): Coalesced {
  let current: Promise<void> = Promise.resolve();
  let isRunning = false;
  let next: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    isRunning = true;
    try {
      await round();
    } catch (error) {
      onError(error);
    } finally {
      isRunning = false;
    }
  };
  const request = async (): Promise<void> => {
    if (!isRunning && next === null) {
      current = run();
      return current;
    }
    next ??= current.then(async () => {
      next = null;
      current = run();
      return current;
    });
    return next;
  };
  const idle = async (): Promise<void> => {
    await current;
    if (next !== null) await next;
  };
  return Object.assign(request, { idle });
}
