import type { Logger } from '../domain/ports.ts';
import { inPatientTransaction, type Db } from '../store/database.ts';
import { releaseLeases } from '../store/delivery-leases.ts';
import type { LeasedDelivery } from './attempt-delivery.ts';

type Leased = Pick<LeasedDelivery, 'delivery' | 'token'>;

/** Gives back leases of deliveries that were not attempted: they are due again at once. */
export class LeaseReturn {
  readonly #db: Db;
  readonly #logger: Logger;
  readonly #then: () => void;
  readonly #pending = new Set<Promise<void>>();

  /** @param then called whenever some were given back */
  constructor(deps: { readonly db: Db; readonly logger: Logger }, then: () => void) {
    this.#db = deps.db;
    this.#logger = deps.logger;
    this.#then = then;
  }

  get isBusy(): boolean {
    return this.#pending.size > 0;
  }

  /** Gives them back in the background. */
  start(leased: readonly Leased[]): void {
    if (leased.length === 0) return;
    const returned = this.run(leased).finally(() => {
      this.#pending.delete(returned);
      this.#then();
    });
    this.#pending.add(returned);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** A failure is logged: leases end by themselves. */
  async run(leased: readonly Leased[]): Promise<void> {
    try {
      await inPatientTransaction(this.#db, async (tx) => {
        for (const [token, of] of Map.groupBy(leased, (each) => each.token)) {
          const ids = of.map(({ delivery }) => delivery.id);
          await releaseLeases(tx, ids, token);
        }
      });
    } catch (error) {
      this.#logger.error({ err: error, count: leased.length }, 'could not release webhook leases');
    }
  }
}
