import {
  outputKey,
  type ChainIndex,
  type Credit,
  type Holding,
  type OpenKey,
} from '../../src/domain/chain.ts';

/** The index of a shop that lives as long as one test. */
export class MemoryIndex implements ChainIndex {
  private readonly keys = new Set<string>();
  private readonly outputs = new Map<string, Credit>();

  watch(...watchKeys: readonly string[]): void {
    for (const key of watchKeys) this.keys.add(key);
  }

  /** Records credits, as the watcher does once it has seen them. */
  record(credits: readonly Credit[]): void {
    for (const credit of credits) this.outputs.set(outputKey(credit.ref), credit);
  }

  async watched(keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(keys.filter((key) => this.keys.has(key)));
  }

  async ownOutputs(refs: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(refs.filter((ref) => this.outputs.has(ref)));
  }

  async watchKeysAfter(after: number, limit: number): Promise<{ position: number; watchKey: string }[]> {
    const all = [...this.keys].map((watchKey, index) => ({ position: index + 1, watchKey }));
    return all.slice(after, after + limit);
  }

  async newestPosition(): Promise<number> {
    return this.keys.size;
  }

  async holdings(watchKeys: readonly string[]): Promise<ReadonlyMap<string, readonly Holding[]>> {
    const credits = [...this.outputs.values()];
    return new Map(watchKeys.map((key) => [key, credits.filter(({ watchKey }) => watchKey === key)]));
  }

  /** None: balances need the whole ledger. */
  async open(): Promise<readonly OpenKey[]> {
    return [];
  }

  async turn(): Promise<readonly OpenKey[]> {
    return [];
  }

  async unsettled(): Promise<readonly Credit[]> {
    return [];
  }
}
