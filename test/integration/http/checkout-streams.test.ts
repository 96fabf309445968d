import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import type { Snapshot } from '../../../src/http/checkout/payment-channel.ts';
import {
  CheckoutEventStreams,
  STREAM_LIMITS,
  type StreamLimits,
} from '../../../src/http/checkout/event-streams.ts';
import { createLogger } from '../../../src/app/logger.ts';
import { PaymentChangeBus } from '../../../src/usecases/payments/payment-change-bus.ts';
import { eventually } from '../../_helpers/poll.ts';

const frame = (version: string, final = false): Snapshot => ({
  version,
  final,
  stamp: version,
  data: (language) => JSON.stringify({ version, language }),
});

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

interface World {
  readonly readSnapshot: () => Promise<Snapshot>;
  readonly stamp?: () => string;
  readonly limits?: Partial<StreamLimits>;
}

async function serve({ readSnapshot, stamp = () => '', limits = {} }: World) {
  const news = new PaymentChangeBus();
  const counts = { looks: 0, comparisons: 0 };
  const source = {
    readSnapshot: async () => {
      counts.looks += 1;
      return readSnapshot();
    },
    stamps: async (ids: readonly string[]) => {
      counts.comparisons += 1;
      return new Map(stamp() === '' ? [] : ids.map((id) => [id, stamp()]));
    },
    follow: (paymentId: string, listener: () => void) => news.subscribe(paymentId, listener),
  };
  const streams = new CheckoutEventStreams(source, createLogger('silent'), {
    ...STREAM_LIMITS,
    gapMs: 1,
    ...limits,
  });
  const app = express();
  app.get('/:paymentId', (req, res, next) => {
    const stream = { req, res, next, client: 'client', language: 'en' as const };
    if (streams.hasCapacity('client')) streams.open({ ...stream, paymentId: req.params.paymentId });
    else res.status(204).end();
  });
  app.use((_error: unknown, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    res.status(404).end();
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay_1`;
  return { streams, news, counts, url };
}

const idsIn = (text: string): (string | undefined)[] =>
  [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);

/** Reads a stream until it has told so many changes. */
async function read(
  url: string,
  changes: number,
): Promise<{ ids: () => Promise<unknown>; leave: () => void }> {
  const leaving = new AbortController();
  const answer = await fetch(url, { signal: leaving.signal });
  const ids = async (): Promise<unknown> => {
    let text = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (idsIn(text).length >= changes) break;
    }
    return idsIn(text);
  };
  return { ids, leave: () => leaving.abort() };
}

describe('the server-sent event streams of checkout pages', () => {
  it('send each payment change once when it is committed, and end some time after the final status', async () => {
    let now = frame('a');
    const { url, news } = await serve({
      readSnapshot: async () => now,
      limits: { heartbeatMs: 10, finalLifetimeMs: 100 },
    });
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    news.tell('pay_1');
    news.tell('pay_other');
    now = frame('b', true);
    news.tell('pay_1');
    await sleep(20);
    now = frame('late', true);
    news.tell('pay_1');
    expect(idsIn(await answer.text())).toEqual(['a', 'b', 'late']);
  });

  it('query a payment once for all viewers, and not at all while nothing changes', async () => {
    let now = frame('a');
    const { url, news, counts } = await serve({
      readSnapshot: async () => now,
      limits: { maxPerClient: 200 },
    });
    const open = await Promise.all(Array.from({ length: 50 }, async () => read(url, 2)));
    const looks = counts.looks;
    expect(looks).toBe(1);
    now = frame('b');
    news.tell('pay_1');
    expect(new Set(await Promise.all(open.map(async ({ ids }) => String(await ids()))))).toEqual(
      new Set(['a,b']),
    );
    expect(counts.looks).toBe(looks + 1);
  });

  it('send a change that was committed while the payment was being read', async () => {
    let now = frame('a');
    const held = Promise.withResolvers<void>();
    const { url, news, counts } = await serve({
      readSnapshot: async () => {
        const seen = now;
        if (seen.version === 'b') await held.promise;
        return seen;
      },
    });
    const { ids } = await read(url, 3);
    now = frame('b');
    news.tell('pay_1');
    await eventually(
      'b is being read',
      () => counts.looks,
      (looks) => looks === 2,
    );
    now = frame('c');
    news.tell('pay_1');
    held.resolve();
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });

  it('detect changes without a notification, by comparing all open payments in one query', async () => {
    let now = frame('a');
    const { url, counts } = await serve({
      readSnapshot: async () => now,
      stamp: () => now.stamp,
      limits: { compareMs: 20 },
    });
    const { ids } = await read(url, 2);
    await eventually(
      'it was compared twice',
      () => counts.comparisons,
      (comparisons) => comparisons >= 2,
    );
    expect(counts.looks).toBe(1);
    now = frame('b');
    expect(await ids()).toEqual(['a', 'b']);
  });

  it('are limited per client, and free their slot when the browser disconnects', async () => {
    const { url, streams } = await serve({
      readSnapshot: async () => frame('a'),
      limits: { maxPerClient: 2 },
    });
    const { leave } = await read(url, 1);
    await fetch(url);
    expect((await fetch(url)).status).toBe(204);
    leave();
    await eventually(
      'the place is free',
      () => streams.hasCapacity('client'),
      (free) => free,
    );
  });

  it('are limited in total, send heartbeats, and end after their maximum duration', async () => {
    const { url } = await serve({
      readSnapshot: async () => frame('a'),
      limits: { maxStreams: 1, heartbeatMs: 20, lifetimeMs: 150 },
    });
    const answer = await fetch(url);
    expect((await fetch(url)).status).toBe(204);
    expect(await answer.text()).toContain('event: beat\ndata:\n\n');
  });

  it('end when the daemon stops, and are refused afterwards', async () => {
    const { url, streams } = await serve({ readSnapshot: async () => frame('a') });
    const text = (await fetch(url)).text();
    streams.close();
    await text;
    expect((await fetch(url)).status).toBe(204);
  });

  it('report an error for a missing payment, and end when their payment is deleted', async () => {
    let now: Snapshot | null = null;
    const { url, news, streams } = await serve({
      readSnapshot: async () => {
        if (now === null) throw new AppError('PAYMENT_NOT_FOUND', 'No such payment');
        return now;
      },
      limits: { maxStreams: 1 },
    });
    expect((await fetch(url)).status).toBe(404);
    expect(streams.hasCapacity('client')).toBe(true);
    now = frame('a');
    const answer = await fetch(url);
    now = null;
    news.tell('pay_1');
    expect(idsIn(await answer.text())).toEqual(['a']);
    expect(streams.hasCapacity('client')).toBe(true);
  });
});
