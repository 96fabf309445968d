import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from '../../../domain/ports.ts';
import { KEY_BYTES, TX_STATE, TxidHash, TxidTable } from './txid-table.ts';

/** Raised when a release recognises payments in transactions that earlier ones counted as irrelevant. */
const FORMAT = 1;
const HASH_BYTES = 32;
const FINGERPRINT_BYTES = 8;
/** Slots or fingerprints between two turns of the event loop. */
const SLICE = 32_768;

/** The irrelevant transactions of an earlier run, as fingerprints under its key. */
export interface SavedTxids {
  readonly hash: TxidHash;
  readonly table: TxidTable;
}

export interface MempoolCache {
  /** Null when there is nothing usable: then every transaction is read. Never throws. */
  load(): Promise<SavedTxids | null>;
  /** Never throws. */
  save(hash: TxidHash, table: TxidTable): Promise<void>;
}

export interface MempoolCacheDeps {
  readonly path: string;
  /**
   * What the saved knowledge depends on: the chain, and the database whose addresses the transactions were
   * compared with. Saved under another context, it is ignored.
   */
  readonly context: () => Promise<string>;
  readonly logger: Logger;
}

/**
 * Remembers over a restart which transactions of the mempool were read and are irrelevant, so that they are not all
 * read again. Only a cache: relevant ones are read again at each start, and a missing, damaged or foreign file costs
 * time only. A transaction stays irrelevant because an address is issued before a payer can know it.
 *
 * File: SHA-256 of the rest, SHA-256 of the context, the key of the fingerprints, the fingerprints.
 */
export function createMempoolCache({ path, context, logger }: MempoolCacheDeps): MempoolCache {
  const contextHash = async (): Promise<Buffer> =>
    createHash('sha256')
      .update(`${FORMAT} ${await context()}`)
      .digest();

  async function read(): Promise<SavedTxids | null> {
    const file = await readFile(path).catch(() => null);
    if (file === null) return null;
    const body = file.subarray(HASH_BYTES);
    const [keyAt, listAt] = [HASH_BYTES, HASH_BYTES + KEY_BYTES];
    if (!file.subarray(0, HASH_BYTES).equals(createHash('sha256').update(body).digest())) return null;
    if (!body.subarray(0, keyAt).equals(await contextHash())) return null;
    const list = body.subarray(listAt);
    const table = new TxidTable(list.length / FINGERPRINT_BYTES);
    for (let at = 0; at < list.length; at += FINGERPRINT_BYTES) {
      table.set(list.readUInt32LE(at), list.readUInt32LE(at + 4), TX_STATE.irrelevant);
      if (at % (SLICE * FINGERPRINT_BYTES) === 0) await turn();
    }
    return { hash: new TxidHash(new Uint8Array(body.subarray(keyAt, listAt))), table };
  }

  async function write(hash: TxidHash, table: TxidTable): Promise<void> {
    const digest = createHash('sha256');
    const parts: Uint8Array[] = [];
    const add = (part: Uint8Array): void => {
      digest.update(part);
      parts.push(part);
    };
    add(await contextHash());
    add(hash.key);
    for (let from = 0; from < table.size; from += SLICE) {
      const words: number[] = [];
      table.each(TX_STATE.irrelevant, { from, to: from + SLICE }, (high, low) => words.push(high, low));
      add(littleEndian(words));
      await turn();
    }
    const temporary = `${path}.tmp`;
    await writeFile(temporary, [digest.digest(), ...parts], { mode: 0o600 });
    await rename(temporary, path);
  }

  return {
    load: async () =>
      read().catch((error: unknown) => {
        logger.warn(
          { path, error: String(error) },
          'mempool cache unreadable; all mempool transactions are read again',
        );
        return null;
      }),
    save: async (hash, table) =>
      write(hash, table).catch((error: unknown) => {
        logger.warn(
          { path, error: String(error) },
          'mempool cache not saved; the next start reads the whole mempool again',
        );
      }),
  };
}

function littleEndian(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [at, word] of words.entries()) bytes.writeUInt32LE(word, at * 4);
  return bytes;
}
