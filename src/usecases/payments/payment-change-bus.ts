/** What hears that a payment may look different now. It must not throw and must not wait. */
type Listener = () => void;

/**
 * Who wants to know when a payment changes, within this process. It carries no content: whoever hears
 * reads the payment again, so that news that come twice or too many do no harm.
 */
export class PaymentChangeBus {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Tells whoever follows the payment. Call it once the change is committed. */
  readonly tell = (paymentId: string): void => {
    for (const listener of this.#listeners.get(paymentId) ?? []) listener();
  };

  /** Listens to one payment; the answer ends that. */
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
