import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import type { CompressedJson } from '../schema/compressed.ts';

/**
 * Text that the compressor has seen before the first byte: the field names and usual values of webhook bodies and
 * their logs, the most usual last. Located next to this file, or next to the built program. Stored rows need exactly
 * these bytes for ever: a better dictionary gets a file of its own, and readers choose by the stream's DICTID.
 */
const dictionary = readFileSync(join(import.meta.dirname, 'json-dictionary.txt'));

/**
 * The window holds the dictionary and a usual body: the default of 32 kB takes three times as long. The buffers have the
 * size of a usual result, because most of the time goes into making them.
 */
const OPTIONS = { dictionary, windowBits: 13, memLevel: 4, chunkSize: 1_024 };
/** Plain text, of rows from before there was compression. A zlib stream begins with another byte. */
const PLAIN = '{'.charCodeAt(0);

/** A zlib stream with a preset dictionary (RFC 1950); ends with a checksum of the text. */
export function compressJson(text: string): CompressedJson {
  return deflateSync(text, OPTIONS) as unknown as CompressedJson;
}

/** The text of a stored value; null when its bytes are damaged, so that the other rows are still read. */
export function decompressJson(stored: Buffer): string | null {
  if (stored[0] === PLAIN) return stored.toString('utf8');
  try {
    return inflateSync(stored, { dictionary }).toString('utf8');
  } catch {
    return null;
  }
}
