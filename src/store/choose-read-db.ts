import type { Db } from './sqlite/database.ts';

/** Rows before a page from which on it is read in a thread: some milliseconds. */
const FAR_ROWS = 5_000;

interface ListedPage {
  /** A text that is compared with every row; undefined or empty for none. */
  readonly search?: string | undefined;
  readonly page: number;
  readonly limit: number;
}

/** The database to read a page of a list from: the read thread where that reads all rows of a shop, or all before the page. */
export function chooseReadDb(db: Db, { search = '', page, limit }: ListedPage): Db {
  return search === '' && page * limit < FAR_ROWS ? db : db.readThread;
}
