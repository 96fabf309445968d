import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: { id: string; type: string; sequence: number; data: Record<string, unknown> };
}

export type Answer = (request: Received, response: ServerResponse, index: number) => void;

export interface Sink {
  readonly url: string;
  readonly received: Received[];
  /** Changes how it answers from now on. */
  answer(answer: Answer): void;
  /** Waits until it has received that many requests. */
  until(count: number, deadlineMs?: number): Promise<Received[]>;
  close(): Promise<void>;
}

export const ok: Answer = (_request, response) => void response.writeHead(200).end('ok');
export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (_request, response) => void response.writeHead(code, headers).end();
}

/** A real HTTP server standing in for a merchant's. */
export async function startSink(answer: Answer = ok): Promise<Sink> {
  let current = answer;
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const entry = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        json: JSON.parse(body) as Received['json'],
      };
      received.push(entry);
      current(entry, response, received.length - 1);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: (next) => {
      current = next;
    },
    until: async (count, deadlineMs = 10_000) => {
      await eventually(() => received.length >= count, `${count} requests`, deadlineMs);
      return received;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
