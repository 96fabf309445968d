import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it } from 'vitest';
import { appMessages } from '../../../src/http/app-messages.ts';

const prototypes = (req: IncomingMessage, res: ServerResponse): unknown[] => [
  Object.getPrototypeOf(req),
  Object.getPrototypeOf(res),
];

it('gives messages the methods of their application, so that Express has nothing to change about them', async () => {
  const app = express();
  const seen: unknown[][] = [];
  app.get('/here', (req, res) => {
    seen.push(prototypes(req, res));
    res.json({
      given: req.get('X-Given'),
      query: req.query['q'],
      isOurs: req.app === app && res.app === app,
    });
  });
  const server = createServer(appMessages(app));
  server.on('request', (req, res) => {
    seen.push(prototypes(req, res));
    app(req, res);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/here?q=1`, { headers: { 'X-Given': 'yes' } });
    expect(await answer.json()).toEqual({ given: 'yes', query: '1', isOurs: true });
    expect(seen).toHaveLength(2);
    expect(seen[0]?.[0]).toBe(seen[1]?.[0]);
    expect(seen[0]?.[1]).toBe(seen[1]?.[1]);
  } finally {
    server.close();
  }
});
