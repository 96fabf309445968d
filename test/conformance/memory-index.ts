import { outputKey, type ChainIndex, type Credit } from '../../src/domain/chain.ts';

/** The index of a shop that lives as long as one test. */
export class MemoryIndex implements ChainIndex {
  private readonly keys = new Set<string>();
  private readonly outputs = new Set<string>();

  watch(...watchKeys: readonly string[]): void {
    for (const key of watchKeys) this.keys.add(key);
  }

  /** Records credits, as the watcher does once it has seen them. */
  record(credits: readonly Credit[]): void {
    for (const credit of credits) this.outputs.add(outputKey(credit.ref));
  }

  async watched(keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(keys.filter((key) => this.keys.has(key)));
  }

  async ownOutputs(refs: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(refs.filter((ref) => this.outputs.has(ref)));
  }
}
