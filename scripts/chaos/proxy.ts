/** A proxy between the daemon and a real node that injects the active faults. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { forward, parseExactly, readCalls, type Call, type HttpAnswer, type Reply } from './json-rpc.ts';
import type { Interruption, Mischief, Rewrite } from './mischief.ts';

export class MisbehavingProxy {
  readonly #server: Server;
  readonly #target: () => URL;
  #active: readonly Mischief[] = [];
  #hits = new Map<string, number>();
  #requests = 0;

  private constructor(target: () => URL) {
    this.#target = target;
    this.#server = createServer((incoming, outgoing) => {
      void this.#serve(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async start(target: () => URL): Promise<MisbehavingProxy> {
    const proxy = new MisbehavingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** With the node's credentials. */
  get url(): string {
    const url = new URL(this.#target());
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href.replace(/\/$/, '');
  }

  /** HTTP requests seen. */
  get requests(): number {
    return this.#requests;
  }

  /** How often each fault had an effect. */
  get hits(): ReadonlyMap<string, number> {
    return this.#hits;
  }

  play(active: readonly Mischief[]): void {
    this.#active = active;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const { calls, isBatch } = readCalls(body);
    this.#requests += 1;
    const active = this.#active;
    const interruption = this.#interruption(active, calls);
    if (interruption?.kind === 'delay') await delay(interruption.ms);
    if (interruption?.kind === 'hang') return;
    if (interruption?.kind === 'reset') return void outgoing.destroy();
    if (interruption?.kind === 'status') {
      const { status, headers = {} } = interruption;
      return void outgoing.writeHead(status, headers).end();
    }
    const rewriters = await this.#rewriters(active, calls);
    const answer = await forward(this.#target(), incoming, body);
    const changed = await this.#rewritten(answer, { calls, isBatch, rewriters });
    if (interruption?.kind === 'hangAfter') return;
    if (interruption?.kind === 'resetAfter') return void outgoing.destroy();
    outgoing.writeHead(changed.status, { 'content-type': 'application/json' }).end(changed.body);
  }

  #interruption(active: readonly Mischief[], calls: readonly Call[]): Interruption | null {
    for (const mischief of active) {
      const interruption = mischief.interrupt?.(calls) ?? null;
      if (interruption === null) continue;
      this.#hit(mischief);
      return interruption;
    }
    return null;
  }

  async #rewriters(active: readonly Mischief[], calls: readonly Call[]): Promise<[Mischief, Rewrite][]> {
    const found: [Mischief, Rewrite][] = [];
    for (const mischief of active) {
      const rewrite = (await mischief.rewriter?.(calls)) ?? null;
      if (rewrite !== null) found.push([mischief, rewrite]);
    }
    return found;
  }

  async #rewritten(
    answer: HttpAnswer,
    request: {
      readonly calls: readonly Call[];
      readonly isBatch: boolean;
      readonly rewriters: readonly [Mischief, Rewrite][];
    },
  ): Promise<{ status: number; body: string }> {
    const { calls, isBatch, rewriters } = request;
    if (rewriters.length === 0) return answer;
    const parsed = parseExactly(answer.body) as Reply | Reply[];
    const replies = Array.isArray(parsed) ? parsed : [parsed];
    const byId = new Map(calls.map((call) => [JSON.stringify(call.id), call]));
    const changed: Reply[] = [];
    for (const original of replies) {
      const call = byId.get(JSON.stringify(original.id));
      let reply = original;
      for (const [mischief, rewrite] of call === undefined ? [] : rewriters) {
        const before = reply;
        if (call !== undefined) reply = await rewrite(call, reply);
        if (reply !== before) this.#hit(mischief);
      }
      changed.push(reply === original ? reply : inStyleOf(original, reply));
    }
    // Bitcoin's daemons respond to a failed call with HTTP 500 or 404, and to a successful one with 200.
    const [only] = changed;
    const isAnswered = isBatch || only?.error === undefined || only.error === null;
    const status = answer.status >= 400 && isAnswered ? 200 : answer.status;
    return { status, body: JSON.stringify(isBatch ? changed : only) };
  }

  #hit({ name }: Mischief): void {
    this.#hits.set(name, (this.#hits.get(name) ?? 0) + 1);
  }
}

/** Bitcoin's daemons return both fields, one of them null; JSON-RPC 2.0 returns one of them. */
function inStyleOf(original: Reply, { id, result, error }: Reply): Reply {
  const hasBoth = 'result' in original && 'error' in original;
  const rest = { ...original };
  delete (rest as { result?: unknown }).result;
  delete (rest as { error?: unknown }).error;
  if (hasBoth) return { ...rest, id, result: result ?? null, error: error ?? null };
  return error === undefined || error === null
    ? { ...rest, id, result: result ?? null }
    : { ...rest, id, error };
}
