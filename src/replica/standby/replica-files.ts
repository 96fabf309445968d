/** Which names of a folder are wanted; a replica may have hundreds of thousands in one. */
export interface NameFilter {
  readonly prefix?: string;
  /** Only those behind this name. */
  readonly after?: string;
}

export function namesWanted(names: readonly string[], { prefix = '', after = '' }: NameFilter): string[] {
  return names.filter((name) => name.startsWith(prefix) && name > after).toSorted();
}

/** Reads the files of a replica. Paths begin at the place of TILLD_REPLICA_URL and have slashes. */
export interface ReplicaFiles {
  /** Names of the files in a folder, sorted; none for a folder that does not exist. */
  list(folder: string, only?: NameFilter): Promise<string[]>;
  /** What a file holds; null when there is none. */
  read(path: string): Promise<Buffer | null>;
  close(): void;
}
