/** Media types that an answer can be streamed in. */
export type StreamType = 'application/json' | 'text/csv';

/**
 * An answer too long to be held in memory: it goes out while it is read, as fast as the client takes it. What fails
 * before the first chunk is answered as ever; what fails later breaks the connection off, so that nobody takes a part
 * for the whole. Only a GET may answer so.
 */
export class StreamReply {
  readonly type: StreamType;
  readonly chunks: AsyncIterable<string>;
  readonly headers: Readonly<Record<string, string>>;
  /** Asked now and then while the answer goes out: throws an AppError once the caller may not have the rest. */
  readonly mayGoOn: () => Promise<unknown>;

  constructor(
    type: StreamType,
    chunks: AsyncIterable<string>,
    headers: Readonly<Record<string, string>> = {},
    mayGoOn: () => Promise<unknown> = async () => undefined,
  ) {
    this.type = type;
    this.chunks = chunks;
    this.headers = headers;
    this.mayGoOn = mayGoOn;
  }

  /** The same answer for a caller whose right to it is asked for now and then. */
  while(mayGoOn: () => Promise<unknown>): StreamReply {
    return new StreamReply(this.type, this.chunks, this.headers, mayGoOn);
  }
}

/** The envelope of a success whose data is one list, item by item: `{"success":true,…,"data":{"NAME":[…]}}`. */
export async function* listInEnvelope(
  name: string,
  pages: AsyncIterable<readonly object[]>,
): AsyncGenerator<string, void> {
  let before = `{"success":true,"error":null,"data":{${JSON.stringify(name)}:[`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + page.map((item) => JSON.stringify(item)).join(',');
    before = ',';
  }
  yield `${before === ',' ? '' : before}]}}`;
}
