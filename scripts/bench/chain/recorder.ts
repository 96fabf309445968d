import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { post } from '../../../test/_helpers/nodes/json-rpc.ts';
import { nextMessage, startNode } from '../harness/child.ts';
import type { Bench } from '../harness/question.ts';

/** A request, and how many earlier ones had been answered when it was sent: it may depend on them. */
export interface RecordedRequest {
  readonly body: string;
  readonly answeredBefore: number;
}

/** A request and the node's response. */
interface Exchange {
  readonly body: string;
  readonly answer: string;
}

/** Some calls take a node minutes. */
const NODE_TIMEOUT_MS = 180_000;
/** Same value as in src/chains/shared/rpc-transport.ts. */
const CONNECTIONS = 4;

/** Forwards requests to a node, and records all requests and all exchanges in order. */
export async function startRecorder(
  bench: Bench,
  nodeUrl: string,
): Promise<{ readonly url: string; readonly asked: RecordedRequest[]; readonly exchanges: Exchange[] }> {
  const requests: RecordedRequest[] = [];
  let answered = 0;
  const exchanges: Exchange[] = [];
  const pass = async (body: string, res: ServerResponse): Promise<void> => {
    try {
      const { status, text } = await post(nodeUrl, body, NODE_TIMEOUT_MS);
      exchanges.push({ body, answer: text });
      answered += 1;
      res.writeHead(status, { 'content-type': 'application/json' }).end(text);
    } catch {
      res.writeHead(502).end();
    }
  };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      requests.push({ body, answeredBefore: answered });
      void pass(body, res);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  bench.onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: requests, exchanges };
}

/** Sends requests to a node and discards the responses. */
export interface BareCaller {
  /** Sends each one as soon as the responses that it depends on have arrived. */
  readonly put: (requests: readonly RecordedRequest[]) => Promise<void>;
}

/**
 * Uses as many keep-alive connections as the daemon; reads every response completely and discards it.
 * @param parses whether each response is parsed as JSON, as any client must
 */
export function bareCaller(nodeUrl: string, parses = false): BareCaller {
  const { origin, pathname: path } = new URL(nodeUrl);
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  const headers = { 'content-type': 'application/json' };
  const put = async (requests: readonly RecordedRequest[]): Promise<void> => {
    const first = requests[0]?.answeredBefore ?? 0;
    let answered = 0;
    let next = 0;
    await new Promise<void>((resolve, reject) => {
      const ask = async (body: string): Promise<void> => {
        const answer = await pool.request({ path, method: 'POST', headers, body });
        if (parses) await answer.body.json();
        else await answer.body.arrayBuffer();
        answered += 1;
        proceed();
      };
      const proceed = (): void => {
        for (let ready = requests[next]; ready !== undefined; ready = requests[next]) {
          if (ready.answeredBefore - first > answered) return;
          next += 1;
          ask(ready.body).catch(reject);
        }
        if (answered === requests.length) resolve();
      };
      proceed();
    });
  };
  return { put };
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
}

/**
 * Starts a process that answers each recorded call as the node did, at once, alone or in a batch: for calls that take
 * the node too long to compute.
 */
export async function startReplayServer(bench: Bench, exchanges: readonly Exchange[]): Promise<string> {
  const results: Record<string, string> = {};
  for (const { body, answer } of exchanges) {
    const calls = [JSON.parse(body) as Call | Call[]].flat();
    const answered = [JSON.parse(answer) as object | object[]].flat() as { id: unknown }[];
    const byId = new Map(answered.map(({ id, ...outcome }) => [id, outcome]));
    for (const call of calls) {
      results[callKey(call)] = JSON.stringify(byId.get(call.id) ?? { result: null }).slice(1);
    }
  }
  const file = join(bench.newDir(), 'answers.json');
  writeFileSync(file, JSON.stringify(results));
  const script = fileURLToPath(new URL('replay-server.ts', import.meta.url));
  const { port } = (await nextMessage(startNode(bench, [script, file], {}))) as { port: number };
  return `http://127.0.0.1:${port}`;
}

/** The key by which two calls are equal. */
export function callKey({ method, params }: Omit<Call, 'id'>): string {
  return `${method} ${JSON.stringify(params)}`;
}
