import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A shop's own site, on an origin of its own, that loads `/pay.js` under a strict policy. */
export interface ShopPage {
  readonly origin: string;
  close(): Promise<void>;
}

/** Stores the messages that the page received, for tests to read. */
const SCRIPT = `
window.told = [];
window.messages = [];
addEventListener('message', ({ origin, data }) => window.messages.push({ origin, data }));
for (const name of ['seen', 'paid', 'status', 'close']) {
  addEventListener('tilld:' + name, ({ detail }) => window.told.push([name, detail.paymentId, detail.status]));
}
`;

/** @param body of the page, for a path; it may name payments */
export async function startShopPage(till: string, body: (path: string) => string): Promise<ShopPage> {
  const { origin } = new URL(till);
  const policy = `default-src 'none'; script-src 'self' ${origin}; frame-src ${origin}; img-src data:; base-uri 'none'`;
  const server = createServer((req, res) => {
    if (req.url === '/shop.js') {
      res.writeHead(200, { 'content-type': 'text/javascript' }).end(SCRIPT);
      return;
    }
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy });
    res.end(`<!doctype html><html lang="en"><head><title>Shop</title><link rel="icon" href="data:,">
      <script src="/shop.js"></script><script src="${till}/pay.js"></script></head>
      <body><h1>Shop</h1>${body(req.url ?? '/')}<a href="#more">More</a></body></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
