/** A JSON-RPC client for the tests: one connection per call, exact decimals, honest errors. */
import { request } from 'node:http';
import { parseKeepingDecimals } from './exact-json.ts';

const DEFAULT_TIMEOUT_MS = 60_000;

/** The node answered, and the answer is an error. */
export class RpcError extends Error {
  readonly code: number;
  readonly method: string;

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message} (${code})`);
    this.name = 'RpcError';
    this.code = code;
    this.method = method;
  }
}

export type RpcParams = readonly unknown[] | Readonly<Record<string, unknown>>;

interface RpcReply {
  result?: unknown;
  error?: { code: number; message: string } | null;
}

/** Posts text and gives back status and text; the URL may carry `user:pass`. */
export async function post(
  url: string,
  body: string,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<{ status: number; text: string }> {
  const target = new URL(url);
  const user = decodeURIComponent(target.username);
  const password = decodeURIComponent(target.password);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: target.hostname,
      port: target.port,
      path: target.pathname,
      method: 'POST',
      auth: user === '' ? undefined : `${user}:${password}`,
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      signal: AbortSignal.timeout(timeoutMs),
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    outgoing.end(body);
  });
}

/**
 * One call. Numbers with a fraction come back as strings (`'0.10000000'`), integers as numbers:
 * amounts never pass through a float. Params are a list, or an object of named arguments.
 */
export async function callRpc<T = unknown>(
  url: string,
  method: string,
  params: RpcParams = [],
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '1.0', id: 'test', method, params });
  const { status, text } = await post(url, body, timeoutMs);
  let reply: RpcReply;
  try {
    reply = parseKeepingDecimals(text) as RpcReply;
  } catch {
    throw new Error(`${method}: HTTP ${status} without JSON: ${text.slice(0, 200)}`);
  }
  if (reply.error) throw new RpcError(method, reply.error.code, reply.error.message);
  return reply.result as T;
}
