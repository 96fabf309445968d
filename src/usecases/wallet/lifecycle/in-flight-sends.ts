import { newId } from '../../events/index.ts';

/**
 * Locks the sends that this process is broadcasting or awaiting the node's answer for: one owner at a time. Of two
 * concurrent broadcasts, a refusal of one proves nothing, since the node may have taken the other.
 */
export class InFlightSends {
  readonly #ids = new Set<string>();

  /** Runs work under a new send id, known nowhere else: locked from before it is stored until its answer is. */
  async begin<T>(work: (sendId: string) => Promise<T>): Promise<T> {
    const sendId = newId('snd_');
    return this.#holding(sendId, async () => work(sendId));
  }

  /** Runs work on a stored send; null, and nothing is run, when the send is locked. */
  async take<T>(sendId: string, work: () => Promise<T>): Promise<T | null> {
    return this.#ids.has(sendId) ? null : this.#holding(sendId, work);
  }

  async #holding<T>(sendId: string, work: () => Promise<T>): Promise<T> {
    this.#ids.add(sendId);
    try {
      return await work();
    } finally {
      this.#ids.delete(sendId);
    }
  }
}
