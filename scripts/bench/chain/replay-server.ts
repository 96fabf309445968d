import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callKey } from './recorder.ts';

/** Answers JSON-RPC calls with a node's recorded responses (see startReplayServer); sends its port. */
interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
}

/** By call: the response after its id. */
const results = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Record<string, string>;
const unknown = '"error":{"code":-32601,"message":"was never recorded"}}';

function reply(call: Call): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},${(results[callKey(call)] ?? unknown).replace(/^"jsonrpc":"2.0",/, '')}`;
}

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const calls = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call | Call[];
    const text = Array.isArray(calls) ? `[${calls.map(reply).join(',')}]` : reply(calls);
    res.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('SIGTERM', () => process.exit(0));
