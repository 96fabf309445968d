import { MemoryIndex } from '../../conformance/memory-index.ts';

/** An index all of whose addresses wait for money. */
export class OpenIndex extends MemoryIndex {
  readonly #addresses: readonly string[];

  constructor(addresses: readonly string[]) {
    super();
    this.#addresses = addresses;
    this.watch(...addresses);
  }

  override async open(): Promise<{ watchKey: string; since: number }[]> {
    return this.#addresses.map((watchKey) => ({ watchKey, since: 0 }));
  }
}
