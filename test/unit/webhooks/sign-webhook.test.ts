import { createHmac, createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newWebhookSecret } from '../../../src/usecases/events/new-id.ts';
import {
  webhookSignatureHeader,
  webhookSignatureHeaders,
  signWebhook,
  signingKey,
} from '../../../src/workers/webhook-delivery/sign-webhook.ts';

const now = () => Math.floor(Date.now() / 1000);

describe('webhook signature', () => {
  it('equals the example of the Standard Webhooks specification', () => {
    const message = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1614265330,
      body: '{"test": 2432232314}',
    };
    expect(webhookSignatureHeader(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('is accepted by the reference library for any body', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uuid(), (text, id) => {
        const secret = newWebhookSecret();
        const body = JSON.stringify({ text });
        const headers = webhookSignatureHeaders({ id, timestampSeconds: now(), body }, [secret]);
        expect(new Webhook(secret).verify(body, headers)).toEqual({ text });
      }),
    );
  });

  it('covers id, time and body as one UTF-8 text, and is sent with exactly that body', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', minLength: 2_000 }));
    const keys = fc.array(fc.uint8Array({ minLength: 24, maxLength: 64 }), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(keys, fc.string(), text, fc.nat(), (secrets, id, body, timestampSeconds) => {
        const message = { id, timestampSeconds, body };
        const found = signWebhook(
          message,
          secrets.map((secret) => createSecretKey(secret)),
        );
        const expected = secrets.map((secret) => {
          const hmac = createHmac('sha256', secret).update(`${id}.${timestampSeconds}.${body}`);
          return `v1,${hmac.digest('base64')}`;
        });
        expect(found.headers['webhook-signature']).toBe(expected.join(' '));
        expect(found.body.equals(Buffer.from(body))).toBe(true);
      }),
    );
  });

  it('does not change while other requests are signed with the same key', () => {
    const key = signingKey(newWebhookSecret());
    const sign = (body: string) => signWebhook({ id: 'evt_1', timestampSeconds: 1, body }, [key]);
    const [first, second] = [sign('{"n":1}'), sign('{"n":2}')];
    expect(first.headers).toEqual(sign('{"n":1}').headers);
    expect(first.headers).not.toEqual(second.headers);
    expect([first.body.toString(), second.body.toString()]).toEqual(['{"n":1}', '{"n":2}']);
  });

  it('is accepted under the old and the new secret during a rotation, and under no other', () => {
    const [fresh, old, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    const headers = webhookSignatureHeaders({ id: 'evt_1', timestampSeconds: now(), body: '{}' }, [
      fresh,
      old,
    ]);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    expect(new Webhook(fresh).verify('{}', headers)).toEqual({});
    expect(new Webhook(old).verify('{}', headers)).toEqual({});
    expect(() => new Webhook(other).verify('{}', headers)).toThrow();
  });

  it('covers the body, the id and the time', () => {
    const secret = newWebhookSecret();
    const message = { id: 'evt_1', timestampSeconds: now(), body: '{"a":1}' };
    const signature = webhookSignatureHeader(message, [secret]);
    for (const change of [{ id: 'evt_2' }, { timestampSeconds: now() + 1 }, { body: '{"a":2}' }]) {
      expect(webhookSignatureHeader({ ...message, ...change }, [secret])).not.toBe(signature);
    }
  });

  it('refuses to sign without a secret or with a malformed one', () => {
    const message = { id: 'evt_1', timestampSeconds: 1, body: '{}' };
    expect(() => webhookSignatureHeader(message, [])).toThrow('the webhook has no signing secret');
    expect(() => webhookSignatureHeader(message, ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toThrow('whsec_');
    expect(() => webhookSignatureHeader(message, ['whsec_AAAA'])).toThrow('24 to 64');
  });

  it('uses new secrets of 32 bytes that never repeat', () => {
    const secrets = Array.from({ length: 50 }, newWebhookSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  });
});
