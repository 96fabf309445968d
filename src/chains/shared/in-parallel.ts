/** Maximum concurrent requests, equal to the transport's connections, because a node serves few at a time. */
const REQUESTS_AT_ONCE = 4;

/**
 * Queries a node for a list in chunks, several concurrently; returns answers in chunk order. The first
 * failure rejects the whole, and chunks not requested by then are dropped.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  size: number,
  ask: (piece: readonly T[]) => Promise<R>,
): Promise<R[]> {
  return eachInParallel(inPieces([items], size), ask);
}

/** Like inParallel, for chunks that are generated while earlier ones are requested. */
export async function eachInParallel<T, R>(
  pieces: AsyncGenerator<T, void>,
  ask: (piece: T) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = [];
  let nextIndex = 0;
  let isOver = false;
  const askOn = async (): Promise<void> => {
    for (;;) {
      // A generator serves concurrent `next` calls in the order of the calls.
      const at = nextIndex;
      nextIndex += 1;
      const piece = await pieces.next();
      if (piece.done === true || isOver) return;
      answers[at] = await ask(piece.value);
    }
  };
  try {
    await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, askOn));
  } finally {
    isOver = true;
  }
  return answers;
}

/** Regroups the items of all lists into chunks of one size; the last may be smaller. */
export async function* inPieces<T>(
  lists: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  size: number,
): AsyncGenerator<readonly T[], void> {
  let rest: readonly T[] = [];
  for await (const list of lists) {
    const items = rest.length === 0 ? list : [...rest, ...list];
    let at = 0;
    for (; at + size <= items.length; at += size) yield items.slice(at, at + size);
    rest = items.slice(at);
  }
  if (rest.length > 0) yield rest;
}
