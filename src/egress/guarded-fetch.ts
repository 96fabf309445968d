import { performance } from 'node:perf_hooks';
import type { Dispatcher } from 'undici';
import { describeError, EgressError } from './egress-error.ts';
import { Exchange, type ExchangeAnswer, type ExchangeRequest } from './exchange.ts';
import { ownConnection } from './kept-connections.ts';
import { UnderWay, type Endable, type Ending } from './under-way.ts';
import { vetLiteral, vetTarget, type EgressPolicy, type VettedTarget } from './vet-target.ts';

export interface GuardedRequest extends ExchangeRequest {
  readonly url: string;
  /** For everything together: DNS, connect, TLS, sending, waiting, reading the body. */
  readonly timeoutMs: number;
  /** Gives up early, at shutdown. */
  readonly signal?: AbortSignal;
}

export type GuardedResponse = ExchangeAnswer;

/** Of requests that nobody gives up on. */
const others = new UnderWay();

/**
 * One HTTP request to an address given by a stranger. The target is vetted (see vetTarget) and the
 * connection goes to the vetted addresses only, with Host and SNI of the URL, so that a name that
 * changes its mind between check and use gains nothing. Redirects are answers, never followed.
 * @throws {EgressError} when no answer came; never for an HTTP status.
 */
export async function guardedFetch(policy: EgressPolicy, request: GuardedRequest): Promise<GuardedResponse> {
  const { signal, url } = request;
  if (signal?.aborted === true) throw new EgressError('aborted', 'given up', { cause: signal.reason });
  const journey = new Journey(request);
  const underWay = signal === undefined ? others : UnderWay.of(signal);
  underWay.add(journey);
  try {
    const target = vetLiteral(policy, url) ?? (await vetTarget(policy, url, journey.signal));
    return await answerOf(policy, target, journey);
  } catch (error) {
    throw journey.explain(error);
  } finally {
    underWay.delete(journey);
  }
}

/** From the check of the target to the end of the answer. */
class Journey implements Endable {
  readonly deadlineMs: number;
  readonly #request: GuardedRequest;
  #ended: Ending | null = null;
  #exchange: Exchange | null = null;
  #stop: AbortController | null = null;

  constructor(request: GuardedRequest) {
    this.#request = request;
    this.deadlineMs = performance.now() + request.timeoutMs;
  }

  get isEnded(): boolean {
    return this.#ended !== null;
  }

  get timeoutMs(): number {
    return this.#request.timeoutMs;
  }

  /** For what comes before the exchange; most have nothing to wait for there. */
  get signal(): AbortSignal {
    this.#stop ??= new AbortController();
    return this.#stop.signal;
  }

  end(why: Ending): void {
    if (this.#ended !== null) return;
    this.#ended = why;
    this.#stop?.abort();
    this.#exchange?.stop(why);
  }

  /** The request and its answer over a connection. */
  over(dispatcher: Dispatcher, target: VettedTarget): Exchange {
    if (this.#ended !== null) throw new Error(this.#ended);
    this.#exchange = new Exchange(dispatcher, target, this.#request);
    return this.#exchange;
  }

  explain(error: unknown): EgressError {
    if (this.#ended === 'aborted') return new EgressError('aborted', 'given up', { cause: error });
    if (this.#ended === 'timeout')
      return new EgressError('timeout', `no answer within ${this.timeoutMs} ms`, { cause: error });
    if (error instanceof EgressError) return error;
    return new EgressError('network', describeError(error), { cause: error });
  }
}

async function answerOf(
  { connections }: EgressPolicy,
  target: VettedTarget,
  journey: Journey,
): Promise<ExchangeAnswer> {
  if (connections === undefined) return overItsOwn(target, journey);
  const line = connections.take(target);
  const { wasUsed } = line;
  try {
    const answer = await journey.over(line.dispatcher, target).answer;
    line.done(true);
    return answer;
  } catch (error) {
    line.done(false);
    // The server closed an idle connection in the moment it was used: what was sent into it is lost.
    if (!wasUsed || journey.isEnded || !LOST_CONNECTION.has(codeOf(error))) throw error;
    return overItsOwn(target, journey);
  }
}

const LOST_CONNECTION: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Over a connection of its own, closed afterwards. */
async function overItsOwn(target: VettedTarget, journey: Journey): Promise<ExchangeAnswer> {
  const connection = ownConnection(target, journey.timeoutMs);
  try {
    return await journey.over(connection, target).answer;
  } finally {
    await connection.destroy();
  }
}
