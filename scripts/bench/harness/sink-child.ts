import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Fast shops: so many servers on ports of their own, each answering 200 to whatever it is sent. */
const count = Number(process.argv[2] ?? 1);
let received = 0;
const servers = Array.from({ length: count }, () =>
  createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      received += 1;
      response.end('ok');
    });
  }),
);
await Promise.all(
  servers.map(async (server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))),
);
process.on('message', () => process.send?.({ received }));
process.send?.({ ports: servers.map((server) => (server.address() as AddressInfo).port) });
