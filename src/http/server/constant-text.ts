import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Response } from 'express';
import type { Encoding } from './content-encoding.ts';
import { allowCompression, negotiateEncoding, sendBytes } from './send-text.ts';

/** Compressed once for many requests, so it may take longer: a tenth of a second for a megabyte. */
const BROTLI_QUALITY = 9;

/** A text that stays the same as long as the daemon runs: compressed once, and revalidated by its ETag. */
export class ConstantText {
  readonly #body: Buffer;
  readonly #hash: string;
  readonly #packed = new Map<Encoding, Promise<Buffer>>();

  constructor(text: string) {
    this.#body = Buffer.from(text);
    this.#hash = createHash('sha256').update(this.#body).digest('base64url').slice(0, 22);
  }

  /** Ends a response, whose status and headers are set, with the text; with 304 if the client has it. */
  async send(res: Response): Promise<void> {
    allowCompression(res);
    const encoding = negotiateEncoding(res, this.#body.length);
    // A strong validator differs between the codings of a representation (RFC 9110, 8.8.3).
    const tag = encoding === null ? `"${this.#hash}"` : `"${this.#hash}-${encoding}"`;
    res.setHeader('ETag', tag);
    if (matchesEtag(res.req.headers['if-none-match'], tag)) {
      res.removeHeader('Content-Type');
      res.status(304).end();
      return;
    }
    const body = encoding === null ? this.#body : await this.#compress(encoding);
    if (encoding !== null) res.setHeader('Content-Encoding', encoding);
    sendBytes(res, body);
  }

  async #compress(encoding: Encoding): Promise<Buffer> {
    const known = this.#packed.get(encoding);
    if (known !== undefined) return known;
    const packed = compressOnce(encoding, this.#body);
    this.#packed.set(encoding, packed);
    return packed;
  }
}

async function compressOnce(encoding: Encoding, body: Buffer): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
  };
  return promisify(brotliCompress)(body, { params });
}

/** If-None-Match by weak comparison (RFC 9110, 13.1.2); a proxy that compresses may have made the tag weak. */
export function matchesEtag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = withoutWeakness(tag);
  return ifNoneMatch.split(',').some((item) => {
    const given = item.trim();
    return given === '*' || withoutWeakness(given) === opaque;
  });
}

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
