import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { z } from 'zod';
import type { Config } from '../config/config.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1_000_000;

const healthSchema = z.object({ data: z.object({ version: z.string() }) });
const readinessSchema = z.object({
  data: z.object({
    ready: z.boolean(),
    database: z.unknown().optional(),
    chains: z
      .record(
        z.string(),
        z.object({ state: z.string(), lag: z.number().nullish(), lastError: z.string().nullish() }).loose(),
      )
      .optional(),
    warnings: z.array(z.string()).optional(),
    update: z
      .object({ version: z.string(), security: z.boolean(), notesUrl: z.string() })
      .nullish()
      .catch(null),
  }),
});

export type Readiness = z.infer<typeof readinessSchema>['data'];

/** Version of the running daemon; null if none responds. */
export async function runningVersion(config: Config): Promise<string | null> {
  return (await ask(config, { isOperator: false, path: '/healthz' }, healthSchema))?.data.version ?? null;
}

/** Readiness of the daemon, with details where the address serves them; null if none responds. */
export async function readiness(config: Config): Promise<Readiness | null> {
  const isOperator = config.http.adminListen !== null;
  return (await ask(config, { isOperator, path: '/readyz' }, readinessSchema))?.data ?? null;
}

/** Asks the daemon of this machine; anything but a response of it counts as none. */
async function ask<T>(
  { http }: Config,
  { isOperator, path }: { readonly isOperator: boolean; readonly path: string },
  schema: z.ZodType<T>,
): Promise<T | null> {
  const { host, port } = isOperator && http.adminListen !== null ? http.adminListen : http;
  const isSecure = !isOperator && http.tls !== null;
  const base = isOperator ? '' : new URL(http.baseUrl).pathname.replace(/\/$/, '');
  const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  // The certificate is for the public name, and the request contains no secret.
  const options = { host: local, port, timeout: TIMEOUT_MS, rejectUnauthorized: false };
  for (const prefix of new Set([base, ''])) {
    const text = await get(isSecure ? secure : plain, { ...options, path: `${prefix}${path}` });
    const parsed = text === null ? null : schema.safeParse(parseJson(text));
    if (parsed?.success === true) return parsed.data;
  }
  return null;
}

async function get(request: typeof plain, options: object): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const call = request(options, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_BYTES) response.destroy();
    });
    response.on('close', () => resolve(text));
    response.on('error', () => resolve(null));
  });
  call.on('timeout', () => call.destroy());
  call.on('error', () => resolve(null));
  call.end();
  return promise;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
