import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Most bytes of lines kept while the reader of a pipe is slow; more are dropped. */
const KEPT_BYTES = 1_000_000;
/** Most characters collected before the end of a turn. */
const BUFFERED_CHARS = 16_000;
const RETRY_MS = 50;
const NEWLINE = '\n';

/** Writes bytes, and returns how many were written. @throws {Error} with a code, as `fs.writeSync` */
export type WriteBytes = (bytes: Uint8Array) => number;

/**
 * The log's output: one write per turn of the event loop, and one at process exit. Never fsynced, because every turn
 * would wait for the disk. A full disk or a closed pipe costs lines, not the daemon: they are counted, and the log goes
 * on as soon as a write succeeds. The reader of a pipe that falls behind delays lines, and then costs them, too.
 */
export class LogOutput implements DestinationStream {
  readonly #writeBytes: WriteBytes;
  #collected = '';
  #isDue = false;
  /** Lines that a slow reader has not accepted yet. */
  #kept: Buffer = Buffer.alloc(0);
  #isRetrying = false;
  #isInsideLine = false;
  #dropped = 0;
  #droppedSinceWrite = 0;
  #failure: string | null = null;

  constructor(writeBytes: WriteBytes) {
    this.#writeBytes = writeBytes;
    process.on('exit', () => this.#flush());
  }

  /** Lines dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** For the operator; empty while lines are written. */
  warnings(): string[] {
    if (this.#failure === null) return [];
    return [`the log cannot be written (${this.#failure}): ${this.#droppedSinceWrite} lines were dropped`];
  }

  write(line: string): void {
    this.#collected += line;
    if (this.#collected.length > BUFFERED_CHARS) this.#flush();
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    const text = this.#collected;
    this.#collected = '';
    if (text === '' && this.#kept.length === 0) return;
    const bytes = Buffer.concat([this.#kept, Buffer.from(text)]);
    this.#kept = Buffer.alloc(0);
    this.#writeAll(bytes);
  }

  #writeAll(bytes: Buffer): void {
    let rest =
      this.#failure !== null && this.#isInsideLine ? Buffer.concat([Buffer.from(NEWLINE), bytes]) : bytes;
    try {
      while (rest.length > 0) {
        const written = this.#writeBytes(rest);
        if (written > 0) this.#isInsideLine = rest[written - 1] !== NEWLINE.charCodeAt(0);
        rest = rest.subarray(written);
      }
    } catch (error) {
      this.#keepOrDrop(rest, errorCode(error));
      return;
    }
    if (this.#failure !== null) this.#resume();
  }

  #keepOrDrop(rest: Buffer, code: string): void {
    if (code === 'EAGAIN' && rest.length <= KEPT_BYTES) {
      this.#kept = rest;
      if (this.#isRetrying) return;
      this.#isRetrying = true;
      setTimeout(() => {
        this.#isRetrying = false;
        this.#flush();
      }, RETRY_MS).unref();
      return;
    }
    const lines = rest.reduce((count, byte) => count + (byte === NEWLINE.charCodeAt(0) ? 1 : 0), 0);
    this.#dropped += lines;
    this.#droppedSinceWrite += lines;
    this.#failure = code;
  }

  #resume(): void {
    const [reason, dropped] = [this.#failure, this.#droppedSinceWrite];
    this.#failure = null;
    this.#droppedSinceWrite = 0;
    const line = {
      level: 'warn',
      time: new Date().toISOString(),
      reason,
      dropped,
      msg: 'log lines were dropped',
    };
    this.write(`${JSON.stringify(line)}${NEWLINE}`);
  }
}

/** A log output on an open file. */
export function openLogOutput(fd: number): LogOutput {
  return new LogOutput((bytes) => writeSync(fd, bytes));
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
