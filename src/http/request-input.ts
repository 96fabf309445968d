import type { Request } from 'express';
import { networkKey } from './client-key.ts';
import type { AuthKind, AuthOf, RouteInput } from './route.ts';

/**
 * What a handler is given. A class with a reason: for a getter in an object literal V8 makes a hidden class
 * anew each time, through which everything the getter can see, the whole request, outlives every quick
 * collection of garbage.
 */
export class RequestInput implements RouteInput<AuthKind, unknown, unknown> {
  readonly auth: AuthOf[AuthKind];
  readonly body: unknown;
  readonly query: unknown;
  readonly requestId: string;
  readonly idempotencyKey: string | null;
  readonly idempotencyScope: string;
  readonly #req: Request;

  constructor(req: Request, input: Omit<RouteInput<AuthKind, unknown, unknown>, 'network'>) {
    this.auth = input.auth;
    this.body = input.body;
    this.query = input.query;
    this.requestId = input.requestId;
    this.idempotencyKey = input.idempotencyKey;
    this.idempotencyScope = input.idempotencyScope;
    this.#req = req;
  }

  /** Worked out when asked for: few handlers do. */
  get network(): string {
    return networkKey(this.#req);
  }
}
