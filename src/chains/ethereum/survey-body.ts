/** The same method asked about many things, each question the same but for one text: ASCII without escapes. */
export interface Questions {
  readonly method: string;
  /** The parameters of a question as JSON: this, its key, and what comes after it. */
  readonly before: string;
  readonly keys: readonly string[];
  readonly after: string;
}

const ZERO = 48;
const OPENING = 91;
const CLOSING = 93;

/** A survey waits for a few requests at a time. */
const MOST_KEPT = 8;

/** Writes batches of questions, into memory that was given back where it can. */
export class SurveyBodies {
  readonly #kept: Buffer[] = [];

  /**
   * The batch of these questions as JSON.stringify would write it, their ids counting up. A hundred questions of
   * the same length, which is what they nearly always are, become copies of the first one with another id and
   * key in them: ten thousand texts put together would be most of the garbage of a block.
   */
  write(questions: Questions, firstId: number): Buffer {
    const { keys } = questions;
    const isAlike = keys.every(({ length }) => length === keys[0]?.length);
    const hasSameDigits = `${firstId}`.length === `${firstId + keys.length - 1}`.length;
    if (!isAlike || !hasSameDigits) return written(questions, firstId);
    return copies(questions, firstId, (length) => this.#memory(length));
  }

  /** What nobody reads or sends any more may be written over. */
  giveBack(body: Buffer): void {
    if (this.#kept.length < MOST_KEPT) this.#kept.push(body);
  }

  #memory(length: number): Buffer {
    const kept = this.#kept.pop();
    return kept?.length === length ? kept : Buffer.allocUnsafeSlow(length);
  }
}

function written({ method, before, keys, after }: Questions, firstId: number): Buffer {
  const items = keys.map((key, at) => {
    return `{"jsonrpc":"2.0","id":${firstId + at},"method":"${method}","params":${before}${key}${after}}`;
  });
  return Buffer.from(`[${items.join()}]`, 'latin1');
}

function copies(
  { method, before, keys, after }: Questions,
  firstId: number,
  memory: (length: number) => Buffer,
): Buffer {
  const head = ',{"jsonrpc":"2.0","id":';
  const middle = `,"method":"${method}","params":${before}`;
  const digits = `${firstId}`.length;
  const first = `${head}${firstId}${middle}${keys[0] ?? ''}${after}}`;
  const { length } = first;
  const end = length * keys.length;
  const body = memory(end + 1);
  body.write(first, 0, 'latin1');
  for (let filled = length; filled < end; filled *= 2) {
    body.copyWithin(filled, 0, Math.min(filled, end - filled));
  }
  const keyAt = head.length + digits + middle.length;
  for (let at = 1; at < keys.length; at += 1) {
    const start = at * length;
    let rest = firstId + at;
    for (let place = start + head.length + digits - 1; place >= start + head.length; place -= 1) {
      const above = Math.floor(rest / 10);
      body[place] = ZERO + rest - above * 10;
      rest = above;
    }
    body.write(keys[at] ?? '', start + keyAt, 'latin1');
  }
  body[0] = OPENING;
  body[end] = CLOSING;
  return body;
}
