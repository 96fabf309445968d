import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { post } from '../../../test/_helpers/nodes/json-rpc.ts';
import type { Bench } from '../harness/question.ts';

/** Passes requests on to a node and keeps their bodies, in order. */
export async function startRecorder(
  bench: Bench,
  nodeUrl: string,
): Promise<{ readonly url: string; readonly bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      bodies.push(body);
      void post(nodeUrl, body).then(
        ({ status, text }) => res.writeHead(status, { 'content-type': 'application/json' }).end(text),
        () => res.writeHead(502).end(),
      );
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  bench.onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

/** Puts the same requests one after the other, over one kept connection, and throws the answers away; ms. */
export async function replay(nodeUrl: string, bodies: readonly string[]): Promise<number> {
  const agent = new Agent({ connections: 1 });
  const { origin, pathname } = new URL(nodeUrl);
  const headers = { 'content-type': 'application/json' };
  const started = performance.now();
  for (const body of bodies) {
    const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
    await answer.body.text();
  }
  const ms = performance.now() - started;
  await agent.close();
  return ms;
}
