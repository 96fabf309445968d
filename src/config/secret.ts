import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/** A secret text: it prints as `[secret]` in logs, JSON, errors and the debugger. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The plain text, for the code that uses it. */
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
