import { setTimeout as delay } from 'node:timers/promises';

export type Fault =
  /** The node answers that it is asked too often. */
  | { readonly kind: 'rateLimit' }
  /** The connection breaks before (or, with `after`, once) the request was carried out. */
  | { readonly kind: 'cut'; readonly after?: boolean }
  | { readonly kind: 'status'; readonly status: number }
  /** The node says no. */
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly kind: 'delay'; readonly ms: number }
  /** Something happens before the node carries out the request. */
  | { readonly kind: 'meanwhile'; readonly act: () => Promise<void> }
  /** Replaces the result by something else. */
  | { readonly kind: 'rewrite'; readonly rewrite: (result: unknown) => unknown };

export interface FaultScope {
  /** RPC methods it hits; all when left out. */
  readonly methods?: readonly string[];
  /** Of these, the requests whose parameters it says yes to. */
  readonly about?: (params: readonly unknown[]) => boolean;
  /** How many requests it hits; without end when left out. */
  readonly times?: number;
}

export interface InjectedFault {
  /** Requests it has hit so far. */
  readonly hits: number;
  clear(): void;
}

interface Active extends FaultScope {
  readonly fault: Fault;
  hits: number;
}

/** What is wrong with the node at the moment. */
export class Faults {
  readonly #active = new Set<Active>();

  inject(fault: Fault, scope: FaultScope = {}): InjectedFault {
    const active: Active = { ...scope, fault, hits: 0 };
    this.#active.add(active);
    return {
      get hits() {
        return active.hits;
      },
      clear: () => void this.#active.delete(active),
    };
  }

  /** The faults that hit this request; delays are waited for here. */
  async hitting(
    method: string,
    params: readonly unknown[],
  ): Promise<readonly Exclude<Fault, { kind: 'delay' | 'meanwhile' }>[]> {
    const hit: Exclude<Fault, { kind: 'delay' | 'meanwhile' }>[] = [];
    for (const active of this.#active) {
      const { fault, methods, about, times } = active;
      if (methods !== undefined && !methods.includes(method)) continue;
      if (about?.(params) === false) continue;
      if (times !== undefined && active.hits >= times) continue;
      active.hits += 1;
      if (fault.kind === 'delay') await delay(fault.ms);
      else if (fault.kind === 'meanwhile') await fault.act();
      else hit.push(fault);
    }
    return hit;
  }
}
