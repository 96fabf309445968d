/** Reads the files of a replica. Paths begin at the place of TILLD_REPLICA_URL and have slashes. */
export interface ReplicaFiles {
  /**
   * Names of the files in a folder, sorted; none for a folder that does not exist.
   * @param after only those behind this name
   */
  list(folder: string, after?: string): Promise<string[]>;
  /** What a file holds; null when there is none. */
  read(path: string): Promise<Buffer | null>;
  close(): void;
}
