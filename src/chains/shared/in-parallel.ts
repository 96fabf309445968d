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
  return eachInParallel(inPieces([items], size), ask);
}

/** As inParallel, of pieces that are put together only while those before them are asked about. */
export async function eachInParallel<T, R>(
  pieces: AsyncGenerator<T, void>,
  ask: (piece: T) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = [];
  let taken = 0;
  let isOver = false;
  const askOn = async (): Promise<void> => {
    for (;;) {
      // A generator hands out one piece after the other, to whoever asked first.
      const at = taken;
      taken += 1;
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

/** The same items in pieces of one size, the last one smaller, whatever lists they came in. */
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
