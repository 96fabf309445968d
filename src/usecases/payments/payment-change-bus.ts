/** Called when the presentation of a payment may have changed. It must not throw and must not wait. */
type Listener = () => void;

/**
 * In-process subscriptions to changes of payments. Notifications carry no content: listeners read the payment
 * again, so that duplicate or superfluous ones do no harm.
 */
export class PaymentChangeBus {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Notifies the listeners of a payment. Call it once the change is committed. */
  readonly tell = (paymentId: string): void => {
    for (const listener of this.#listeners.get(paymentId) ?? []) listener();
  };

  /** Subscribes to one payment; returns the function that unsubscribes. */
  subscribe(paymentId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(paymentId) ?? new Set();
    this.#listeners.set(paymentId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(paymentId) === listeners) {
        this.#listeners.delete(paymentId);
      }
    };
  }
}
