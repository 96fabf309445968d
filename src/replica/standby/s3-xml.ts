import { Parser } from 'htmlparser2';
import { ReplicaError } from '../litestream-process.ts';

/** A page of a listing. */
export interface Listing {
  readonly keys: readonly string[];
  /** What continues it; null at its end. */
  readonly next: string | null;
}

/**
 * Reads an answer to ListObjectsV2.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 * @throws {ReplicaError} for any other document: nothing listed would be taken for nothing there
 */
export function parseListing(xml: string): Listing {
  const texts = textsIn(xml);
  const truncated = texts.get('IsTruncated')?.[0];
  if (!texts.has('ListBucketResult') || (truncated !== 'true' && truncated !== 'false'))
    throw new ReplicaError('the S3 server answers a listing in an unknown form');
  const next = truncated === 'true' ? (texts.get('NextContinuationToken')?.[0] ?? '') : null;
  if (next === '') throw new ReplicaError('the S3 server says that more follows, and not how');
  return { keys: texts.get('Key') ?? [], next };
}

/** The texts of an XML document by the name of their element. */
export function textsIn(xml: string): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  let text = '';
  const parser = new Parser(
    {
      onopentag: () => void (text = ''),
      ontext: (more) => void (text += more),
      onclosetag: (name) => {
        const known = texts.get(name);
        if (known === undefined) texts.set(name, [text]);
        else known.push(text);
        text = '';
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return texts;
}
