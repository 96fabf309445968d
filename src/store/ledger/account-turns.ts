interface Numbered {
  readonly id: number;
}

/** Of the room for awaited accounts, what goes to the first to expire when there are too many for all. */
const FIRST_SHARE = 3 / 4;
/** Room that finished accounts have in any case, as a part of the room for awaited ones: they add to it. */
const FINISHED_SHARE = 1 / 20;

/**
 * Chooses the accounts of one look. Awaited ones come first, and a finished one never takes the place of one of
 * them. Of what there is too much, each has its turn in one of the next looks.
 */
export class AccountTurns<T extends Numbered> {
  readonly #limit: number;
  #awaitedAfter = 0;
  #finishedAfter = 0;

  /** @param limit accounts in one look; finished ones may add a twentieth to it */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * @param awaited the first to expire first
   * @param finished by id, ascending
   */
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
    const turn = turnOf(others, this.#awaitedAfter, this.#limit - size);
    this.#awaitedAfter = turn.at(-1)?.id ?? 0;
    return [...awaited.slice(0, size), ...turn];
  }

  #finished(finished: readonly T[], room: number): readonly T[] {
    if (finished.length <= room) return finished;
    const turn = turnOf(finished, this.#finishedAfter, room);
    this.#finishedAfter = turn.at(-1)?.id ?? 0;
    return turn;
  }
}

/** So many of the entries, those after an id first, then from the beginning. */
function turnOf<T extends Numbered>(entries: readonly T[], after: number, size: number): readonly T[] {
  const from = Math.max(
    0,
    entries.findIndex(({ id }) => id > after),
  );
  return [...entries.slice(from), ...entries.slice(0, from)].slice(0, size);
}
