import type { Dispatcher } from 'undici';
import type { Ending } from './under-way.ts';
import type { VettedTarget } from './vet-target.ts';

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The body is cut here; the rest is never read. */
  readonly maxBodyBytes: number;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** `whole`, or why the body is not: over the cap, out of time, connection lost. */
  readonly bodyEnd: 'whole' | 'capped' | 'timeout' | 'broken';
}

const NO_BYTES = new Uint8Array();

/**
 * One request and its answer, collected as it comes in without the streams that undici's `request` builds
 * around it.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Rejected with what undici says when no answer came, or because of an ending from outside. */
  readonly answer: Promise<ExchangeAnswer>;
  readonly #maxBodyBytes: number;
  readonly #resolve: (answer: ExchangeAnswer) => void;
  readonly #reject: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #stopped: Error | null = null;
  /** 0 until the headers are there. */
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  /** Most bodies come in one piece. */
  #first: Uint8Array | null = null;
  #more: Uint8Array[] | null = null;
  #size = 0;

  constructor(dispatcher: Dispatcher, target: VettedTarget, request: ExchangeRequest) {
    const { promise, resolve, reject } = Promise.withResolvers<ExchangeAnswer>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#maxBodyBytes = request.maxBodyBytes;
    const { method, headers, body = null } = request;
    dispatcher.dispatch({ origin: target.origin, path: target.path, method, headers, body }, this);
  }

  /** Hangs up. What has come of a body in time is the answer. */
  stop(why: Ending): void {
    const reason = new Error(why);
    if (why === 'aborted' || this.#status === 0) this.#reject(reason);
    else this.#finish('timeout');
    this.#hangUp(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopped !== null) controller.abort(this.#stopped);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // 103 and the like: the answer is still to come.
    if (status < 200) return;
    this.#status = status;
    this.#headers = areTexts(headers) ? headers : flat(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#first === null) this.#first = chunk;
    else (this.#more ??= [this.#first]).push(chunk);
    this.#size += chunk.length;
    if (this.#size <= this.#maxBodyBytes) return;
    this.#finish('capped');
    this.#hangUp(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    this.#finish('whole');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#status === 0) this.#reject(error);
    else this.#finish('broken');
  }

  #hangUp(reason: Error): void {
    this.#stopped ??= reason;
    this.#controller?.abort(this.#stopped);
  }

  /** The first end is the end: a promise that is kept stays as it is. */
  #finish(bodyEnd: ExchangeAnswer['bodyEnd']): void {
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body(), bodyEnd });
  }

  #body(): Uint8Array {
    const most = this.#maxBodyBytes;
    if (this.#more !== null) return Buffer.concat(this.#more, Math.min(this.#size, most));
    const only = this.#first ?? NO_BYTES;
    return only.length > most ? only.subarray(0, most) : only;
  }
}

function areTexts(headers: Readonly<Record<string, unknown>>): headers is Readonly<Record<string, string>> {
  for (const name in headers) if (typeof headers[name] !== 'string') return false;
  return true;
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    texts[name] = Array.isArray(value) ? value.join(', ') : String(value);
  }
  return texts;
}
