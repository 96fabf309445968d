import { outputKey, type OutputRef } from '../chain.ts';
import type { PaymentCredit, PaymentState } from './types.ts';

/**
 * A payment's credits by their outputs while facts are told one after another: thousands of tiny
 * outputs to one address must cost no more than reading them.
 */
export class CreditBook {
  #credits: PaymentCredit[];
  /** Somebody else holds the same list: it must be copied before it changes. */
  #isShared = true;
  readonly #places: Map<string, number>;

  constructor(credits: readonly PaymentCredit[]) {
    this.#credits = credits as PaymentCredit[];
    this.#places = new Map(credits.map((credit, place) => [outputKey(credit.ref), place]));
  }

  find(ref: OutputRef): PaymentCredit | undefined {
    const place = this.#places.get(outputKey(ref));
    return place === undefined ? undefined : this.#credits[place];
  }

  /** The credits as they are now: to be read at once, not to be kept. */
  all(): readonly PaymentCredit[] {
    return this.#credits;
  }

  /** Adds a credit, or puts it in the place of the one of the same output. */
  put(credit: PaymentCredit): void {
    if (this.#isShared) this.#credits = [...this.#credits];
    this.#isShared = false;
    const key = outputKey(credit.ref);
    const place = this.#places.get(key) ?? this.#credits.length;
    this.#places.set(key, place);
    this.#credits[place] = credit;
  }

  /** The payment with the credits as they are now. */
  into(payment: PaymentState): PaymentState {
    this.#isShared = true;
    return payment.credits === this.#credits ? payment : { ...payment, credits: this.#credits };
  }
}
