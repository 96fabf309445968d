import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
  readonly url: string;
  /** Tunnels that were opened until now. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** A forward proxy on loopback for https (CONNECT), as companies have one. */
export async function startProxy(): Promise<Proxy> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((_req, res) => res.writeHead(501).end());
  server.on('connect', (request, client: Socket, head) => {
    connections += 1;
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = connect(Number(port || 80), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
