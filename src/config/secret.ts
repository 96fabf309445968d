import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/** A text that must not be printed: it shows as `[secret]` in logs, JSON, errors and the debugger. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself, for the one place that needs it. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
