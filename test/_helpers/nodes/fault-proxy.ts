/** A proxy before a node's JSON-RPC that misbehaves on demand. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { distort, type Fault, type FaultScope, readCalls, type RpcCall, rpcErrorBody } from './faults.ts';
import { callRpc } from './json-rpc.ts';

/** An injected fault, until it is cleared or has fired as often as it was told to. */
export interface InjectedFault {
  /** How many HTTP requests it hit so far. */
  readonly hits: number;
  clear(): void;
}

interface Rule {
  readonly fault: Fault;
  readonly scope: FaultScope;
  hits: number;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: string;
  readonly calls: readonly RpcCall[];
  readonly batch: boolean;
  readonly faults: readonly Fault[];
}

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

export class FaultProxy implements AsyncDisposable {
  private readonly target: URL;
  private readonly server: Server;
  private readonly counts = new Map<string, number>();
  private readonly events = new EventEmitter();
  private readonly closing = new AbortController();
  private rules: Rule[] = [];
  private port = 0;

  constructor(targetUrl: string) {
    this.target = new URL(targetUrl);
    this.events.setMaxListeners(0);
    this.server = createServer((incoming, outgoing) => {
      void this.handle(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  /** The address to give to the code under test: same credentials and path as the node's. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href.replace(/\/$/, '');
  }

  /** Calls seen per method, counted when they arrive, whatever became of them. */
  calls(method: string): number {
    return this.counts.get(method) ?? 0;
  }

  /** Every method seen, with its count. */
  get callCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.counts);
  }

  resetCounts(): void {
    this.counts.clear();
  }

  /** Injects a fault from now on. Several may hold at once; all that match apply. */
  inject(fault: Fault, scope: FaultScope = {}): InjectedFault {
    const rule: Rule = { fault, scope, hits: 0 };
    this.rules.push(rule);
    return {
      get hits() {
        return rule.hits;
      },
      clear: () => {
        this.rules = this.rules.filter((other) => other !== rule);
      },
    };
  }

  /** Ends every fault, refusal included. */
  async heal(): Promise<void> {
    this.rules = [];
    await this.accept();
  }

  /** Connections are refused (ECONNREFUSED) and open ones broken, until `accept`. */
  async refuse(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  /** Listens (again) on the same port. */
  async accept(): Promise<void> {
    if (this.server.listening) return;
    const listening = once(this.server, 'listening');
    this.server.listen(this.port, '127.0.0.1');
    await listening;
    const address = this.server.address();
    if (typeof address === 'object' && address !== null) this.port = address.port;
  }

  /**
   * The node seems to be stuck at a height, the current one by default: tip questions answer
   * from there while everything else goes through.
   */
  async freezeTip(height?: number): Promise<InjectedFault> {
    const frozenAt = height ?? (await callRpc<number>(this.target.href, 'getblockcount'));
    const hash = await callRpc<string>(this.target.href, 'getblockhash', [frozenAt]);
    const rewrite = (result: unknown, method: string): unknown => {
      if (method === 'getblockcount') return frozenAt;
      if (method === 'getbestblockhash') return hash;
      return { ...(result as object), blocks: frozenAt, headers: frozenAt, bestblockhash: hash };
    };
    const methods = ['getblockcount', 'getbestblockhash', 'getblockchaininfo'];
    return this.inject(
      { kind: 'rewrite', rewrite: (r, m) => (methods.includes(m) ? rewrite(r, m) : r) },
      { methods },
    );
  }

  /** Waits until a method has been called `count` times in all. */
  async waitForCall(method: string, count = 1, timeoutMs = 10_000): Promise<void> {
    const signal = AbortSignal.timeout(timeoutMs);
    while (this.calls(method) < count) await once(this.events, 'call', { signal });
  }

  /** Breaks every connection and stops listening. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.refuse();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readText(incoming);
    const { calls, batch } = readCalls(body);
    const faults = this.matching(calls);
    for (const { method } of calls) this.counts.set(method, this.calls(method) + 1);
    this.events.emit('call');
    await this.answer({ incoming, outgoing, body, calls, batch, faults });
  }

  /** The faults for a request; each counts as hit, and one that has fired enough is gone. */
  private matching(calls: readonly RpcCall[]): Fault[] {
    const hit = this.rules.filter(
      ({ scope }) =>
        scope.methods === undefined || calls.some(({ method }) => scope.methods?.includes(method)),
    );
    for (const rule of hit) rule.hits += 1;
    this.rules = this.rules.filter((rule) => rule.hits < (rule.scope.times ?? Infinity));
    return hit.map(({ fault }) => fault);
  }

  private async answer(exchange: Exchange): Promise<void> {
    const { outgoing, calls, batch, faults } = exchange;
    const { signal } = this.closing;
    for (const fault of faults) {
      if (fault.kind === 'delay') await delay(fault.delayMs, undefined, { signal });
      else if (fault.kind === 'reset') return void outgoing.destroy();
      else if (fault.kind === 'hang') return;
      else if (fault.kind === 'status') return send(outgoing, fault.status, fault.body ?? '', fault.headers);
      else if (fault.kind === 'garbage') return send(outgoing, 200, fault.body ?? '<html>bad gateway</html>');
      else if (fault.kind === 'rpcError')
        return send(outgoing, batch ? 200 : 500, rpcErrorBody(calls, batch, fault));
    }
    const answer = await this.forward(exchange);
    let { body } = answer;
    for (const fault of faults) body = distort(body, fault, calls);
    const kinds = new Set(faults.map(({ kind }) => kind));
    if (kinds.has('hangAfter')) return;
    if (kinds.has('dropResponse')) return void outgoing.destroy();
    if (kinds.has('truncate')) return truncate(outgoing, answer.status, body);
    send(outgoing, answer.status, body, pickHeaders(answer.headers));
  }

  private async forward({ incoming, body }: Exchange): Promise<Answer> {
    const { hostname, port } = this.target;
    const forwarded = request({
      hostname,
      port,
      path: incoming.url,
      method: incoming.method,
      agent: false,
      signal: this.closing.signal,
      headers: {
        ...incoming.headers,
        host: `${hostname}:${port}`,
        connection: 'close',
        'content-length': Buffer.byteLength(body),
      },
    });
    forwarded.end(body);
    const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
    return {
      status: answer.statusCode ?? 502,
      headers: answer.headers,
      body: await readText(answer),
    };
  }
}

/** Puts a proxy on a free loopback port before a node. */
export async function startFaultProxy(targetUrl: string): Promise<FaultProxy> {
  const proxy = new FaultProxy(targetUrl);
  await proxy.accept();
  return proxy;
}

async function readText(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send(
  outgoing: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    ...headers,
    'content-length': Buffer.byteLength(body),
  });
  outgoing.end(body);
}

/** Promises the whole body, sends half and breaks the connection. */
function truncate(outgoing: ServerResponse, status: number, body: string): void {
  const bytes = Buffer.from(body);
  outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => outgoing.destroy());
}

function pickHeaders(headers: IncomingMessage['headers']): Record<string, string> {
  const challenge = headers['www-authenticate'];
  const type = headers['content-type'];
  return {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
  };
}
