import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Webhook endpoints that respond with success at once, each on its own port; sends the ports to the parent. */
const count = Number(process.argv[2] ?? '1');
const ports: number[] = [];
for (let number = 0; number < count; number += 1) {
  const server = createServer((req, res) => {
    req.resume();
    req.on('end', () => res.writeHead(200, { 'content-length': '2' }).end('ok'));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  ports.push((server.address() as AddressInfo).port);
}
process.send?.({ ports });
process.once('SIGTERM', () => process.exit(0));
