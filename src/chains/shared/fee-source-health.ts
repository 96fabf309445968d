import type { NodeStatus } from '../../domain/chain.ts';
import type { Coin } from '../../domain/coins.ts';
import type { Logger } from '../../domain/ports.ts';

/** The node's calls for fee rates. Logs when one fails and another source replaces it, and when it recovers. */
export class FeeSourceHealth {
  readonly #coin: Coin;
  readonly #logger: Pick<Logger, 'info' | 'warn'>;
  /** Failure reason per call. */
  readonly #failing = new Map<string, string>();

  constructor(coin: Coin, logger: Pick<Logger, 'info' | 'warn'>) {
    this.#coin = coin;
    this.#logger = logger;
  }

  failed(method: string, problem: string): void {
    const reason = problem.replace(`${method}: `, '');
    if (this.#failing.get(method) === reason) return;
    this.#failing.set(method, reason);
    this.#logger.warn(
      { coin: this.#coin, method, reason },
      'network fee source unavailable; another source is used',
    );
  }

  answered(method: string): void {
    if (!this.#failing.delete(method)) return;
    this.#logger.info({ coin: this.#coin, method }, 'network fee source available again');
  }

  /** Adds the failing calls to the node's health. */
  withWarning<T extends NodeStatus>(status: T): T {
    if (this.#failing.size === 0) return status;
    const calls = [...this.#failing].map(([method, reason]) => `${method}: ${reason}`).join('; ');
    const warning = `fees are set without a source of the node that is unavailable (${calls})`;
    return { ...status, warnings: status.warnings === null ? warning : `${status.warnings}; ${warning}` };
  }
}
