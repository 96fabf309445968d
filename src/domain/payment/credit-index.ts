import { outputKey, type OutputRef } from '../chain.ts';
import { nextPosition } from './credits.ts';
import type { PaymentCredit, PaymentState } from './types.ts';

/**
 * A payment's credits by outpoint while facts are applied one by one. Applying thousands of tiny outputs to
 * one address takes linear time.
 */
export class CreditIndex {
  #credits: PaymentCredit[];
  /** The list is shared with the payment: copy it before changing it. */
  #isShared = true;
  readonly #places: Map<string, number>;
  #nextPosition: number;

  constructor(payment: PaymentState) {
    const { credits } = payment;
    this.#nextPosition = nextPosition(payment);
    this.#credits = credits as PaymentCredit[];
    this.#places = new Map(credits.map((credit, place) => [outputKey(credit.ref), place]));
  }

  find(ref: OutputRef): PaymentCredit | undefined {
    const place = this.#places.get(outputKey(ref));
    return place === undefined ? undefined : this.#credits[place];
  }

  /** The current credits: valid only until the next change. */
  all(): readonly PaymentCredit[] {
    return this.#credits;
  }

  /** Takes the position of the next observation. */
  takePosition(): number {
    this.#nextPosition += 1;
    return this.#nextPosition - 1;
  }

  /** Adds a credit, or replaces the one of the same output. */
  put(credit: PaymentCredit): void {
    if (this.#isShared) this.#credits = [...this.#credits];
    this.#isShared = false;
    const key = outputKey(credit.ref);
    const place = this.#places.get(key) ?? this.#credits.length;
    this.#places.set(key, place);
    this.#credits[place] = credit;
  }

  /** Returns the payment with the current credits. */
  into(payment: PaymentState): PaymentState {
    this.#isShared = true;
    return payment.credits === this.#credits ? payment : { ...payment, credits: this.#credits };
  }
}
