import { newId } from '../events/new-id.ts';

/**
 * The sends that somebody in this process is about to offer to the node or waits for its answer to: one owner at
 * a time. Of two offers at once, the refusal of one says nothing while the other may have been taken.
 */
export class InFlightSends {
  readonly #ids = new Set<string>();

  /** Work on a new send, under an id that nobody else has seen: from before it is stored until its answer is. */
  async begin<T>(work: (sendId: string) => Promise<T>): Promise<T> {
    const sendId = newId('snd_');
    return this.#holding(sendId, async () => work(sendId));
  }

  /** Work on a stored send; null, and nothing is done, when somebody has it in hand. */
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
