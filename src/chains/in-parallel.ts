import pLimit from 'p-limit';

/** A node serves few requests at a time, and the transport has as many connections. */
const REQUESTS_AT_ONCE = 4;

/**
 * Asks a node about a list piece by piece, several pieces at a time; answers in the order of the pieces.
 * The first failure is the failure of all, and what had not been asked by then never is.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  size: number,
  ask: (piece: readonly T[]) => Promise<R>,
): Promise<R[]> {
  const limit = pLimit(REQUESTS_AT_ONCE);
  const answers: Promise<R>[] = [];
  for (let at = 0; at < items.length; at += size) {
    const piece = items.slice(at, at + size);
    answers.push(limit(async () => ask(piece)));
  }
  try {
    return await Promise.all(answers);
  } catch (error) {
    limit.clearQueue();
    throw error;
  }
}
