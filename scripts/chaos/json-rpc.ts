/** JSON-RPC as the fault-injecting proxy parses and writes it. */
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface Reply {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | null;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const { rawJSON } = JSON as unknown as { rawJSON: (source: string) => unknown };

/** Safe integers become numbers; all other numbers keep their digits and are written unchanged. */
export function parseExactly(body: string): unknown {
  const parse = JSON.parse as (
    source: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ) => unknown;
  return parse(body, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    return Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? value : rawJSON(source);
  });
}

export function readCalls(body: string): { readonly calls: readonly Call[]; readonly isBatch: boolean } {
  const parsed = JSON.parse(body) as Call | Call[];
  const calls = (Array.isArray(parsed) ? parsed : [parsed]).map(({ id, method, params }) => ({
    id,
    method,
    params: Array.isArray(params) ? params : [],
  }));
  return { calls, isBatch: Array.isArray(parsed) };
}

export function result(call: Call, value: unknown): Reply {
  return { id: call.id, result: value };
}

export function refusal(call: Call, code: number, message: string, data?: unknown): Reply {
  return { id: call.id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** Forwards a request to the node unchanged. */
export async function forward(target: URL, incoming: IncomingMessage, body: string): Promise<HttpAnswer> {
  const outgoing = request({
    hostname: target.hostname,
    port: target.port,
    path: incoming.url,
    method: incoming.method,
    agent: false,
    headers: {
      ...incoming.headers,
      host: target.host,
      connection: 'close',
      'content-length': Buffer.byteLength(body),
    },
  });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await text(answer) };
}
