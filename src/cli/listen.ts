import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { webhookSignatureHeaders } from '../workers/webhook-delivery/sign-webhook.ts';
import { parseCall, runCommand, printLine, UsageError, warn } from './command.ts';
import { RefusedError, shopApi, type ShopApi } from './shop-api.ts';
import { isTriggerable, triggerEvent, TRIGGERABLE } from './trigger-event.ts';

const USAGE = `Forwards the events of a shop to a webhook handler on this machine, signed as webhooks are, while you build it.

  TILLD_KEY=rk_... tillctl listen --forward-to http://127.0.0.1:3001/hook [--url http://localhost:3000] [--trigger EVENT]
  TILLD_KEY=rk_... tillctl listen --trigger EVENT

TILLD_KEY is a restricted key with the scope events:read (and webhooks:read, for bodies with webhookUrl), or a secret key; --key KEY
works as well, but others on this machine can see it. --url is the daemon's address. It forwards the events from now on, one line per event, until
Ctrl-C; an event that the handler does not accept is not sent again.

--trigger makes the event happen in the sandbox (scopes payments:write and customers:write):
  ${TRIGGERABLE.join(', ')}`;

const WAIT_S = 25;
const FORWARD_LIMIT_MS = 15_000;
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;

const event = z.object({
  id: z.string(),
  seq: z.int(),
  type: z.string(),
  createdAt: z.string(),
  sandbox: z.boolean(),
  sequence: z.int(),
  data: z.record(z.string(), z.unknown()),
  truncated: z.boolean(),
});
type Event = z.infer<typeof event>;
const page = z.object({ events: z.array(event) });
const stretch = page.extend({ nextAfter: z.int() });

await runCommand(USAGE, listen);

async function listen(args: string[]): Promise<number> {
  const { key, forwardTo, url, trigger } = parseArguments(args);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const api = shopApi({ baseUrl: url, key, signal: stop.signal });
  try {
    if (forwardTo === null) await announceTrigger(api, trigger);
    else await forward(api, { key, forwardTo, trigger, signal: stop.signal });
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    throw error;
  }
}

function parseArguments(args: string[]) {
  const options = {
    key: { type: 'string' },
    'forward-to': { type: 'string' },
    url: { type: 'string' },
    trigger: { type: 'string' },
  } as const;
  const { values } = parseCall({ args, options });
  const key = process.env['TILLD_KEY'] ?? values.key;
  if (key === undefined || key === '') throw new UsageError('TILLD_KEY is not set');
  const { 'forward-to': forwardTo, trigger } = values;
  if (forwardTo === undefined && trigger === undefined)
    throw new UsageError('--forward-to or --trigger is required');
  if (forwardTo !== undefined && !/^https?:$/.test(readProtocol(forwardTo)))
    throw new UsageError('--forward-to must be an http address');
  if (trigger !== undefined && !isTriggerable(trigger))
    throw new UsageError(`${trigger} cannot be triggered`);
  const url = values.url ?? process.env['TILLD_BASE_URL'] ?? 'http://localhost:3000';
  if (!/^https?:$/.test(readProtocol(url))) throw new UsageError('--url must be an http address');
  return { key, forwardTo: forwardTo ?? null, url, trigger: trigger ?? null };
}

function readProtocol(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}

async function announceTrigger(api: ShopApi, trigger: string | null): Promise<void> {
  if (trigger === null || !isTriggerable(trigger)) return;
  printLine(`${trigger} will happen to ${await triggerEvent(api, trigger)}`);
}

interface Forwarding {
  readonly key: string;
  readonly forwardTo: string;
  readonly trigger: string | null;
  readonly signal: AbortSignal;
}

async function forward(api: ShopApi, { key, forwardTo, trigger, signal }: Forwarding): Promise<void> {
  const secret = deriveSecret(key);
  const newest = await api.ask('GET', '/merchant/events?limit=1', { schema: page });
  let after = newest.events[0]?.seq ?? 0;
  printLine(`forwarding events to ${forwardTo}, signed with ${secret} (Ctrl-C ends it)`);
  await announceTrigger(api, trigger);
  for (let backoffMs = FIRST_BACKOFF_MS; ;) {
    try {
      const path = `/merchant/events?after=${after}&limit=100&wait=${WAIT_S}`;
      const { events, nextAfter } = await api.ask('GET', path, { schema: stretch });
      for (const each of events) {
        printLine(await post(each, { forwardTo, secret, signal }));
        after = each.seq;
      }
      after = nextAfter;
      backoffMs = FIRST_BACKOFF_MS;
    } catch (error) {
      if (signal.aborted || (error instanceof RefusedError && !error.isPassing)) throw error;
      warn(`no events: ${describeFailure(error)}; asking again in ${backoffMs / 1_000} s`);
      await pause(backoffMs, undefined, { signal });
      backoffMs = Math.min(2 * backoffMs, LONGEST_BACKOFF_MS);
    }
  }
}

/** Posts an event once and describes it in one line. @throws when it was interrupted */
async function post(
  each: Event,
  to: { readonly forwardTo: string; readonly secret: string; readonly signal: AbortSignal },
): Promise<string> {
  const body = formatBody(each);
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const startedMs = performance.now();
  const outcome = await fetch(to.forwardTo, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'tilld-webhooks/1',
      ...webhookSignatureHeaders({ id: each.id, timestampSeconds, body }, [to.secret]),
    },
    body,
    signal: AbortSignal.any([to.signal, AbortSignal.timeout(FORWARD_LIMIT_MS)]),
  }).then(
    async (response) => {
      await response.body?.cancel();
      return String(response.status);
    },
    (error: unknown) => describeFailure(error),
  );
  to.signal.throwIfAborted();
  return `${each.createdAt} ${each.type} ${each.id} -> ${outcome} ${Math.round(performance.now() - startedMs)} ms`;
}

/** The body of the webhook of this event, byte for byte. */
function formatBody({ id, type, createdAt, sandbox, sequence, truncated, data }: Event): string {
  const fields = { id, type, timestamp: createdAt, sandbox, sequence, data };
  return JSON.stringify(truncated ? { ...fields, truncated } : fields);
}

/** A signing secret derived from the key, different from that of the shop's webhooks. */
function deriveSecret(key: string): string {
  return `whsec_${createHmac('sha256', key).update('tilld listen').digest('base64')}`;
}

/** The cause contains the reason of fetch's "fetch failed". */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return error.name === 'TimeoutError' ? 'no answer in time' : error.message;
}
