/** Media types of streamed responses. */
export type StreamType = 'application/json' | 'application/jsonl' | 'text/csv' | 'application/pdf';

/**
 * A response too long to be held in memory: it is sent while it is read, at the client's speed. An error
 * before the first chunk gets a normal response; a later one aborts the connection, so that a partial
 * response is not taken for a complete one. Only a GET may stream.
 */
export class StreamReply {
  readonly type: StreamType;
  readonly chunks: AsyncIterable<string | Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
  /** Called periodically while the response is sent: throws an AppError once the caller has lost access. */
  readonly mayGoOn: () => Promise<unknown>;

  constructor(
    type: StreamType,
    chunks: AsyncIterable<string | Uint8Array>,
    headers: Readonly<Record<string, string>> = {},
    mayGoOn: () => Promise<unknown> = async () => undefined,
  ) {
    this.type = type;
    this.chunks = chunks;
    this.headers = headers;
    this.mayGoOn = mayGoOn;
  }

  /** The same response with a periodic check of the caller's access. */
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

/** One object per line, as JSON Lines separates them. */
export async function* jsonLines(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string, void> {
  for await (const page of pages) {
    if (page.length > 0) yield page.map((item) => `${JSON.stringify(item)}\n`).join('');
  }
}
