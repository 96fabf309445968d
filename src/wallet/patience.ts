/**
 * Notices when nothing comes of what was asked for. Not at the first look: where the whole process stood
 * still meanwhile, what came is only handled after it.
 */
export class Patience {
  readonly #halfMs: number;
  readonly #isAtIt: () => boolean;
  readonly #onLost: () => void;
  #owed = 0;
  #hasLooked = false;
  #timer: NodeJS.Timeout | null = null;

  /**
   * @param isAtIt whether what was asked for is being done: before, it only waits for its turn
   * @param onLost called once, when nothing came for so long; nothing is waited for after it
   */
  constructor(patienceMs: number, isAtIt: () => boolean, onLost: () => void) {
    this.#halfMs = patienceMs / 2;
    this.#isAtIt = isAtIt;
    this.#onLost = onLost;
  }

  asked(): void {
    this.#owed += 1;
    this.#timer ??= setInterval(() => this.#look(), this.#halfMs).unref();
  }

  answered(): void {
    this.#owed -= 1;
    this.#hasLooked = false;
    if (this.#owed === 0) this.end();
    else this.#timer?.refresh();
  }

  /** Waits for nothing any more. */
  end(): void {
    this.#owed = 0;
    this.#hasLooked = false;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    const hasWaited = this.#hasLooked;
    this.#hasLooked = this.#isAtIt();
    if (!hasWaited || !this.#hasLooked) return;
    this.end();
    this.#onLost();
  }
}
