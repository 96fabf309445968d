import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CheckoutStreams,
  STREAM_LIMITS,
  type Snapshot,
  type StreamLimits,
} from '../../../src/http/pages/checkout/streams.ts';
import { createLogger } from '../../../src/logger.ts';
import { eventually } from '../../_helpers/poll.ts';

const snapshot = (version: string, final = false): Snapshot => ({
  version,
  final,
  data: () => JSON.stringify({ version }),
});

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(look: () => Promise<Snapshot>, limits: Partial<StreamLimits> = {}) {
  const streams = new CheckoutStreams(createLogger('silent'), {
    ...STREAM_LIMITS,
    lookEveryMs: 10,
    ...limits,
  });
  const app = express();
  app.get('/', (req, res) => {
    if (streams.hasRoom('client')) streams.open(req, res, 'client', look);
    else res.status(204).end();
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { streams, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

describe('streams of a checkout page', () => {
  it('tell each change once, and end when nothing more can come', async () => {
    const looks = ['a', 'a', 'b', 'b', 'c'];
    const { url } = await serve(async () => {
      const version = looks.shift() ?? 'c';
      return snapshot(version, version === 'c');
    });
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect([...(await answer.text()).matchAll(/^id: (.*)$/gm)].map(([, id]) => id)).toEqual(['a', 'b', 'c']);
  });

  it('are bounded per client, and give their place back when the browser leaves', async () => {
    const { url, streams } = await serve(async () => snapshot('a'), { maxPerClient: 2 });
    const leaving = new AbortController();
    const open = await fetch(url, { signal: leaving.signal });
    await fetch(url);
    expect((await fetch(url)).status).toBe(204);
    expect(open.status).toBe(200);
    leaving.abort();
    await eventually(
      'the place is free',
      () => streams.hasRoom('client'),
      (free) => free,
    );
  });

  it('are bounded in all, beat while nothing happens, and end after their time', async () => {
    const { url } = await serve(async () => snapshot('a'), {
      maxStreams: 1,
      heartbeatMs: 20,
      lifetimeMs: 150,
    });
    const answer = await fetch(url);
    expect((await fetch(url)).status).toBe(204);
    expect(await answer.text()).toContain(': still here');
  });

  it('end when the daemon stops, and none is opened after that', async () => {
    const { url, streams } = await serve(async () => snapshot('a'));
    const text = (await fetch(url)).text();
    streams.close();
    await text;
    expect((await fetch(url)).status).toBe(204);
  });

  it('end when the payment cannot be read any more', async () => {
    const { url } = await serve(async () => {
      throw new Error('the database is gone');
    });
    expect(await (await fetch(url)).text()).toBe('');
  });
});
