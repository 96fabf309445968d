import type { Dispatcher } from 'undici';
import type { VettedTarget } from './vet-target.ts';

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The body is cut here; the rest is never read. */
  readonly maxBodyBytes: number;
  /** Gives up early, at shutdown. */
  readonly signal?: AbortSignal;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** `whole`, or why the body is not: over the cap, out of time, connection lost. */
  readonly bodyEnd: 'whole' | 'capped' | 'timeout' | 'broken';
}

/**
 * One request and its answer over a dispatcher. When `signal` aborts, what has come of a body is the
 * answer, unless the request's own signal gave up.
 * @throws what undici says when no answer came, or the signal's reason.
 */
export async function exchangeOver(
  dispatcher: Dispatcher,
  target: VettedTarget,
  about: { readonly request: ExchangeRequest; readonly signal: AbortSignal },
): Promise<ExchangeAnswer> {
  const { request, signal } = about;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ExchangeAnswer>();
  const answer = new Answer(request.maxBodyBytes, resolve, reject);
  const stop = (): void => answer.stop(signal.reason, request.signal?.aborted === true);
  signal.addEventListener('abort', stop);
  try {
    dispatcher.dispatch(
      {
        origin: target.url.origin,
        path: target.url.pathname + target.url.search,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
      },
      answer,
    );
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Collects an answer as it comes in, without the streams that undici's `request` builds around it. */
class Answer implements Dispatcher.DispatchHandler {
  readonly #maxBodyBytes: number;
  readonly #resolve: (answer: ExchangeAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | null = null;
  #stopped: Error | null = null;
  /** 0 until the headers are there. */
  #status = 0;
  #headers: Record<string, string> = {};
  #size = 0;

  constructor(
    maxBodyBytes: number,
    resolve: (answer: ExchangeAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  stop(reason: unknown, gaveUp: boolean): void {
    if (this.#status === 0 || gaveUp) this.#reject(reason);
    else this.#finish('timeout');
    this.#hangUp(reason instanceof Error ? reason : new Error('stopped'));
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
    this.#headers = flat(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
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
    const body = Buffer.concat(this.#chunks, Math.min(this.#size, this.#maxBodyBytes));
    this.#resolve({ status: this.#status, headers: this.#headers, body, bodyEnd });
  }
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    texts[name] = Array.isArray(value) ? value.join(', ') : String(value);
  }
  return texts;
}
