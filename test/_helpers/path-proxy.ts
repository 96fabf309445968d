import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy that leads one path of its host to the daemon, as nginx and Caddy do. */
export interface PathProxy {
  readonly origin: string;
  /** Requests outside of the path: a link that lacks it leads to the shop's own site. */
  readonly strayed: readonly string[];
  lead(port: number): void;
  close(): Promise<void>;
}

/** @param removesPath whether the daemon gets requests without the path */
export async function startPathProxy(path: string, removesPath: boolean): Promise<PathProxy> {
  const strayed: string[] = [];
  let target = 0;
  const server = createServer((req, res) => {
    const url = req.url ?? '/';
    if (url !== path && !url.startsWith(`${path}/`)) {
      if (url !== '/favicon.ico') strayed.push(`${req.method} ${url}`);
      res.writeHead(404, { 'content-type': 'text/plain' }).end('the site of the shop');
      return;
    }
    const sent = removesPath ? url.slice(path.length) || '/' : url;
    const onward = request(
      { host: '127.0.0.1', port: target, path: sent, method: req.method, headers: req.headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      },
    );
    onward.on('error', () => res.destroy());
    res.on('close', () => onward.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    strayed,
    lead: (to) => (target = to),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
