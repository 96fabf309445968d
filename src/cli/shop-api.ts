import { z } from 'zod';
import { parseExact } from '../domain/exact-json.ts';

/** Longer than the longest poll. */
const TIMEOUT_MS = 45_000;

const envelope = z.object({
  success: z.boolean(),
  error: z.object({ code: z.string(), message: z.string() }).nullish(),
  data: z.unknown(),
});

/** A response that rejects the request; a retry is useless unless `isPassing`. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  readonly code: string;
  readonly isPassing: boolean;

  constructor(status: number, code: string, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
    this.isPassing = status >= 500 || status === 429 || status === 408;
  }
}

export interface ShopApi {
  /** @throws {RefusedError} if the API rejects the request; other errors without a response */
  ask<T>(
    method: 'GET' | 'POST',
    path: string,
    as: { readonly schema: z.ZodType<T>; readonly body?: object },
  ): Promise<T>;
}

/** The HTTP API of a daemon as a shop uses it, with its key. */
export function shopApi(options: { baseUrl: string; key: string; signal: AbortSignal }): ShopApi {
  // Joined as text: an absolute path would replace the path of the base URL.
  const base = options.baseUrl.replace(/\/+$/, '');
  return {
    ask: async (method, path, { schema, body }) => {
      const response = await fetch(`${base}${path}`, {
        method,
        headers: { authorization: `Bearer ${options.key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const text = await response.text();
      const answer = envelope.safeParse(readJson(text));
      if (!answer.success) {
        throw new RefusedError(response.status, `HTTP ${response.status}`, 'the response is not from tilld');
      }
      const { error, data } = answer.data;
      if (!answer.data.success || !response.ok) {
        throw new RefusedError(response.status, error?.code ?? 'ERROR', error?.message ?? 'no reason given');
      }
      return schema.parse(data);
    },
  };
}

function readJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return null;
  }
}
