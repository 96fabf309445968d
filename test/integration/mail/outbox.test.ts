import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MailRefused, type Mailer } from '../../../src/domain/mail.ts';
import { pruned } from '../../_helpers/pruned.ts';
import { newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { deliverTo, takeMails } from '../../_helpers/outbox.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(async () => app.destroy());

/** Fails each time, as configured. */
const failing = (error: Error) => {
  const attempts: number[] = [];
  const mailer: Mailer = {
    send: async () => {
      attempts.push(app.now());
      throw error;
    },
  };
  return { mailer, attempts };
};
const rowOf = async (userId: string) =>
  app.db.selectFrom('mails').selectAll().where('userId', '=', userId).executeTakeFirstOrThrow();

describe('the queue of outgoing emails', () => {
  it('retries a failed email with backoff, and gives up after the last attempt', async () => {
    await takeMails(app);
    const user = await newUser(app);
    const { mailer, attempts } = failing(new Error('connection refused'));
    const start = app.now();
    for (let minute = 0; minute < 10 * 60; minute += 1) {
      await deliverTo(app, mailer);
      app.advance(MINUTE_MS);
    }
    const minutes = attempts.map((at) => Math.round((at - start) / MINUTE_MS));
    expect(minutes).toEqual([0, 1, 2, 7, 37, 157, 517]);
    expect(await rowOf(user.id)).toMatchObject({
      state: 'failed',
      attempts: 7,
      bodySealed: null,
      lastError: 'connection refused',
    });
    expect(await takeMails(app)).toEqual([]);
  });

  it('sends waiting emails once the mail server responds again', async () => {
    const user = await newUser(app);
    await deliverTo(app, failing(new Error('down')).mailer);
    expect(await takeMails(app)).toEqual([]);
    app.advance(10_000);
    expect((await takeMails(app)).map((mail) => mail.to)).toEqual([user.email]);
    expect(await rowOf(user.id)).toMatchObject({ state: 'sent', attempts: 2, lastError: null });
  });

  it('sends emails queued before the clock was set back immediately or after their delay', async () => {
    await takeMails(app);
    const [fresh, failed] = [await newUser(app), await newUser(app)];
    await app.db
      .updateTable('mails')
      .set({ attempts: 3, nextAttemptAt: app.now() + 5 * MINUTE_MS })
      .where('userId', '=', failed.id)
      .execute();
    app.advance(-2 * HOUR_MS);
    expect((await takeMails(app)).map((mail) => mail.to).toSorted()).toEqual(
      [fresh.email, failed.email].toSorted(),
    );
    app.advance(2 * HOUR_MS);
  });

  it('gives up an email immediately when the mail server refuses it permanently', async () => {
    const user = await newUser(app);
    await deliverTo(app, failing(new MailRefused('550 no such user')).mailer);
    expect(await rowOf(user.id)).toMatchObject({
      state: 'failed',
      attempts: 1,
      lastError: '550 no such user',
    });
  });

  it('does not send an email whose link has expired while it waited', async () => {
    const user = await newUser(app);
    app.advance(48 * HOUR_MS);
    expect(await takeMails(app)).toEqual([]);
    expect(await rowOf(user.id)).toMatchObject({ state: 'failed', bodySealed: null });
  });

  it('does not delay other emails when one cannot be sent', async () => {
    const [bad, good] = [await newUser(app), await newUser(app)];
    await app.db
      .updateTable('mails')
      .set({ bodySealed: 'v1.nonsense' })
      .where('userId', '=', bad.id)
      .execute();
    expect((await takeMails(app)).map((mail) => mail.to)).toEqual([good.email]);
    expect(await rowOf(bad.id)).toMatchObject({ state: 'failed', lastError: 'cannot be read' });
  });

  it('keeps an email that was in flight when the daemon stopped, without counting the attempt', async () => {
    const user = await newUser(app);
    const stopping = new AbortController();
    const hanging: Mailer = {
      send: async (_message, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          stopping.abort();
        }),
    };
    await deliverTo(app, hanging, stopping.signal);
    expect(await rowOf(user.id)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await takeMails(app)).toHaveLength(1);
  });

  it('uses the same Message-ID on every attempt', async () => {
    await newUser(app);
    const ids: string[] = [];
    const mailer: Mailer = {
      send: async ({ id }) => {
        ids.push(id);
        if (ids.length < 3) throw new Error('again');
      },
    };
    for (let i = 0; i < 3; i += 1) {
      await deliverTo(app, mailer);
      app.advance(HOUR_MS);
    }
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(3);
  });

  it('deletes sent and failed emails after a month, and no waiting one', async () => {
    const count = async () => (await app.db.selectFrom('mails').select('id').execute()).length;
    await takeMails(app);
    app.advance(30 * 24 * HOUR_MS + 1000);
    const user = await newUser(app);
    expect(await count()).toBeGreaterThan(1);
    await pruned(app.db, app.now());
    expect(await count()).toBe(1);
    expect(await rowOf(user.id)).toMatchObject({ state: 'pending' });
  });
});
