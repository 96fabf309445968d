/**
 * Notices when nothing comes of what was asked for. Not at the first look: where the whole process stood
 * still meanwhile, what came is only handled after it.
 */
export class Patience {
  readonly #halfMs: number;
  readonly #onLost: () => void;
  #owed = 0;
  #hasLooked = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param onLost called once, when nothing came for so long; nothing is waited for after it */
  constructor(patienceMs: number, onLost: () => void) {
    this.#halfMs = patienceMs / 2;
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
    if (!this.#hasLooked) {
      this.#hasLooked = true;
      return;
    }
    this.end();
    this.#onLost();
  }
}
