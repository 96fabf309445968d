import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReplicaTarget } from '../litestream.ts';
import { namesWanted, type NameFilter, type ReplicaFiles } from './replica-files.ts';

/** A replica in a folder. */
export class FolderFiles implements ReplicaFiles {
  readonly #root: string;

  constructor({ url }: Pick<ReplicaTarget, 'url'>) {
    this.#root = fileURLToPath(url.reveal());
  }

  async list(folder: string, only: NameFilter = {}): Promise<string[]> {
    return namesWanted(await readdir(join(this.#root, folder)).catch(noneIfMissing([])), only);
  }

  async read(path: string): Promise<Buffer | null> {
    return readFile(join(this.#root, path)).catch(noneIfMissing(null));
  }

  close(): void {
    // Nothing is open.
  }
}

function noneIfMissing<T>(none: T): (error: unknown) => T {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    throw error;
  };
}
