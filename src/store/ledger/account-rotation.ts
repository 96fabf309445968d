interface Numbered {
  readonly id: number;
}

/** Share of the limit that goes to the awaited accounts that expire first, when not all of them fit. */
const FIRST_SHARE = 3 / 4;
/** Minimum number of finished accounts, as a share of the limit; they are added to it. */
const FINISHED_SHARE = 1 / 20;

/**
 * Chooses the accounts of one polling pass. Awaited accounts come first and are never displaced by finished ones. What
 * exceeds the limit is covered round-robin by the next passes.
 */
export class AccountRotation<T extends Numbered> {
  readonly #limit: number;
  #awaitedAfter = 0;
  #finishedAfter = 0;

  /** @param limit accounts in one pass; finished ones may add a twentieth to it */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @param awaited earliest expiry first @param finished by ascending id */
  choose(
    awaited: readonly T[],
    finished: readonly T[],
  ): { readonly awaited: readonly T[]; readonly finished: readonly T[] } {
    const least = Math.max(1, Math.floor(this.#limit * FINISHED_SHARE));
    const room = Math.max(this.#limit - awaited.length, least);
    return { awaited: this.#awaited(awaited), finished: this.#finished(finished, room) };
  }

  #awaited(awaited: readonly T[]): readonly T[] {
    if (awaited.length <= this.#limit) return awaited;
    const size = Math.floor(this.#limit * FIRST_SHARE);
    const others = awaited.slice(size).toSorted((a, b) => a.id - b.id);
    const turn = takeTurn(others, this.#awaitedAfter, this.#limit - size);
    this.#awaitedAfter = turn.at(-1)?.id ?? 0;
    return [...awaited.slice(0, size), ...turn];
  }

  #finished(finished: readonly T[], room: number): readonly T[] {
    if (finished.length <= room) return finished;
    const turn = takeTurn(finished, this.#finishedAfter, room);
    this.#finishedAfter = turn.at(-1)?.id ?? 0;
    return turn;
  }
}

/** Up to `size` entries, starting after an id and wrapping around to the beginning. */
function takeTurn<T extends Numbered>(entries: readonly T[], after: number, size: number): readonly T[] {
  const from = Math.max(
    0,
    entries.findIndex(({ id }) => id > after),
  );
  return [...entries.slice(from), ...entries.slice(0, from)].slice(0, size);
}
