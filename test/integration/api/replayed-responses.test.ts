import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as idempotency from '../../../src/store/idempotency.ts';
import { PREPARATIONS } from './preparations.ts';
import { fresh, World, type Account } from './world.ts';

/**
 * As if the process had died between the commit of what a request made and keeping its answer: only what is kept in a
 * transaction is kept at all.
 */
const { finishIdempotencyKey } = idempotency;
const finishing = vi
  .spyOn(idempotency, 'finishIdempotencyKey')
  .mockImplementation(async (db, key, answer) => {
    if (db.isTransaction) await finishIdempotencyKey(db, key, answer);
  });

/** Routes that make nothing, by what a repeat does instead. */
const MAKE_NOTHING: Readonly<Record<string, string>> = {
  'POST /auth/login': 'signs in again',
  'POST /auth/reset-password': 'the token of the mail is spent: the password is the new one',
  'POST /auth/change-password': 'the token has ended: the password is the new one',
  'POST /auth/totp/setup': 'replaces a secret that is not in use yet',
  'POST /auth/totp/enable':
    'refused, it is on: the authenticator app switches it off, and on with other codes',
  'POST /auth/totp/disable': 'refused, it is off',
  'POST /merchant/verify-domain/check': 'checks again',
  'POST /merchant/wallet/consolidate': 'moves what is left within the wallet',
  'POST /merchant/webhook/test': 'delivers at least once',
  'POST /merchant/webhook/redeliver': 'delivers at least once',
};
/** A repeated request returns the existing object in its current state. */
const FIND_THE_SAME: ReadonlySet<string> = new Set([
  'POST /payment/create',
  'POST /payment/refund-link/approve',
  'POST /sandbox/payment/simulate',
  'POST /merchant/wallet/send/bump',
  'POST /merchant/wallet/send/cancel',
  'POST /merchant/wallet/psbt/submit',
  'POST /merchant/wallet/send/approve',
]);

const world = await World.start();
let account: Account;
beforeAll(async () => {
  account = await world.account();
});
afterAll(async () => {
  finishing.mockRestore();
  await world.end();
});

const posts = world.contract.routes.filter(
  ({ method, name }) => method === 'POST' && MAKE_NOTHING[name] === undefined,
);

describe('an Idempotency-Key after a crash between commit and response', () => {
  it.each(posts)('replays the first response of $name', async (endpoint) => {
    const example = account.request(endpoint);
    const prepared = (await PREPARATIONS[endpoint.name]?.(world, account, example)) ?? example;
    const headers = { ...prepared.headers, 'idempotency-key': fresh('key') };
    const first = await world.send(endpoint, { ...prepared, headers });
    expect(first.body.error).toBeNull();
    expect(finishing).toHaveBeenCalled();
    const again = await world.send(endpoint, { ...prepared, headers });
    if (FIND_THE_SAME.has(endpoint.name)) expect(again.body.data?.['id']).toBe(first.body.data?.['id']);
    else expect([again.status, again.body]).toEqual([first.status, first.body]);
  });
});
