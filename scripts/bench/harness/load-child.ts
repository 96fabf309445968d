import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Load, LoadRequest, LoadResult } from './load.ts';
import { percentile } from './stats.ts';

/**
 * The load generator process: bare sockets, because it must use as little as possible of a machine with few cores.
 * Parses only responses with Content-Length, which both servers send.
 */
const load = JSON.parse(process.argv[2] ?? '') as Load;
const target = new URL(load.url);
const run = randomBytes(4).toString('hex');
const NICE = -10;
const latencies: number[] = [];
let count = 0;
let failures = 0;
let closed = 0;
let firstFailure: string | null = null;

function render(request: LoadRequest): string {
  const id = `${run}-${count}`;
  const path = request.path.replaceAll('{{id}}', id);
  const body = request.body?.replaceAll('{{id}}', id) ?? '';
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = request.method === 'POST' ? `Content-Length: ${Buffer.byteLength(body)}\r\n` : '';
  return `${request.method} ${path} HTTP/1.1\r\nHost: ${target.host}\r\n${headers.join('')}${length}\r\n${body}`;
}

class ClosedError extends Error {
  constructor() {
    super('the connection was closed');
  }
}

/** Sends one request and reads the whole response; returns its status and text. */
async function ask(socket: Socket, text: string): Promise<{ status: number; answer: Buffer }> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    let wholeLength = -1;
    const onData = (chunk: Buffer): void => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (wholeLength < 0) {
        const end = received.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, end + 2))?.[1];
        if (length === undefined) {
          reject(new Error('the response has no Content-Length'));
          return;
        }
        wholeLength = end + 4 + Number(length);
      }
      if (received.length < wholeLength) return;
      socket.off('data', onData);
      socket.off('close', onClose);
      resolve({ status: Number(received.toString('latin1', 9, 12)), answer: received });
    };
    const onClose = (): void => reject(new ClosedError());
    socket.on('data', onData);
    socket.once('close', onClose);
    socket.write(text);
  });
}

async function opened(): Promise<Socket> {
  const socket = connect(Number(target.port), target.hostname);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  // Reported by 'close', which follows.
  socket.on('error', () => undefined);
  return socket;
}

async function worker(index: number, startedAt: number): Promise<void> {
  let socket = await opened();
  const everyMs = load.ratePerSecond === undefined ? 0 : (1000 * load.connections) / load.ratePerSecond;
  let due = startedAt + (everyMs * index) / load.connections;
  while (
    performance.now() < startedAt + load.durationMs &&
    count < (load.maxRequests ?? Number.POSITIVE_INFINITY)
  ) {
    if (everyMs > 0) {
      const waitMs = due - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      due += everyMs;
    }
    const request = load.requests[count % load.requests.length];
    if (request === undefined) throw new Error('load has no requests');
    const text = render(request);
    count += 1;
    const sent = performance.now();
    const answered = await ask(socket, text).catch((error: unknown) => {
      if (error instanceof ClosedError && load.opensAnew === true) return null;
      throw error;
    });
    if (answered === null) {
      closed += 1;
      socket = await opened();
      continue;
    }
    const { status, answer } = answered;
    latencies.push(performance.now() - sent);
    if (status >= 200 && status < 300) continue;
    failures += 1;
    firstFailure ??= answer.toString('utf8').slice(0, 2_000);
  }
  socket.destroy();
}

/** Raises the priority of this thread only, which sends and receives. @returns whether the system permitted it */
function isPreferred(): boolean {
  if (load.isElsewhere !== true) return false;
  try {
    setPriority(NICE);
    return true;
  } catch {
    return false;
  }
}

async function main(): Promise<void> {
  const preferred = isPreferred();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: load.connections }, (_, index) => worker(index, startedAt)));
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const result: LoadResult & { firstFailure: string | null } = {
    requests: latencies.length,
    failures,
    closed,
    firstFailure,
    perSecond: latencies.length / seconds,
    p50Ms: percentile(latencies, 50),
    p95Ms: percentile(latencies, 95),
    p99Ms: percentile(latencies, 99),
    maxMs: latencies.at(-1) ?? 0,
    isPreferred: preferred,
  };
  process.send?.(result);
}

await main();
