import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signForTest, verifyWebhook, WebhookError } from '../../../packages/sdk/src/index.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const BODY = JSON.stringify({
  id: 'evt_1',
  type: 'payment.completed',
  timestamp: '2026-01-31T12:00:00.000Z',
  sandbox: true,
  sequence: 3,
  data: { payment: { id: 'pay_1', description: 'Tee für zwei ☕' } },
});

const NOTHING = '{"id":"evt_1","type":"payment.completed","data":null}';

/** Headers by the library of the standard. */
function signedByTheStandard(body = BODY, secret = SECRET, at = new Date()): Record<string, string> {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  };
}

function reasonOf(verified: Promise<unknown>): Promise<string> {
  return verified.then(
    () => 'taken',
    (error: unknown) => (error instanceof WebhookError ? error.reason : String(error)),
  );
}

describe('verifyWebhook on a signed request', () => {
  it.each([
    ['text', BODY],
    ['a Buffer', Buffer.from(BODY)],
    ['bytes', new TextEncoder().encode(BODY)],
    ['an ArrayBuffer', new TextEncoder().encode(BODY).buffer],
  ])('accepts the body as %s', async (_, body) => {
    const event = await verifyWebhook(body, signedByTheStandard(), SECRET);
    // Narrowed by its type: `payment` is there without a cast.
    const paymentId = event.type === 'payment.completed' ? event.data.payment.id : null;
    expect(paymentId).toBe('pay_1');
  });

  it('accepts headers as in Node, fetch and some servers', async () => {
    const headers = signedByTheStandard();
    const capital = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const given of [headers, new Headers(headers), capital]) {
      expect(await reasonOf(verifyWebhook(BODY, given, [SECRET]))).toBe('taken');
    }
  });

  it('accepts the old and the new secret during a rotation', async () => {
    expect(await reasonOf(verifyWebhook(BODY, signedByTheStandard(), [OTHER, SECRET]))).toBe('taken');
    const both = {
      ...signedByTheStandard(),
      'webhook-signature': `${new Webhook(OTHER).sign('evt_1', new Date(), BODY)} ${signedByTheStandard()['webhook-signature']}`,
    };
    expect(await reasonOf(verifyWebhook(BODY, both, SECRET))).toBe('taken');
  });
});

it('signForTest signs according to Standard Webhooks', async () => {
  const headers = await signForTest(BODY, SECRET, { id: 'evt_1' });
  expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY));
  expect(await reasonOf(verifyWebhook(BODY, headers, SECRET))).toBe('taken');
});

const at = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

describe('verifyWebhook on an invalid request', () => {
  it.each([
    ['a parsed body', 'no_raw_body', JSON.parse(BODY), signedByTheStandard()],
    ['no body', 'no_raw_body', undefined, signedByTheStandard()],
    ['a changed body', 'wrong_secret', `${BODY} `, signedByTheStandard()],
    ['malformed bytes', 'wrong_secret', Buffer.from(BODY).fill(0xff, 40, 41), signedByTheStandard()],
    ['another id', 'wrong_secret', BODY, { ...signedByTheStandard(), 'webhook-id': 'evt_2' }],
    ['another secret', 'wrong_secret', BODY, signedByTheStandard(BODY, OTHER)],
    [
      'no signature in the header',
      'wrong_secret',
      BODY,
      { ...signedByTheStandard(), 'webhook-signature': 'v1,' },
    ],
    [
      'a signature that is not base64',
      'wrong_secret',
      BODY,
      { ...signedByTheStandard(), 'webhook-signature': 'v1,%%' },
    ],
    [
      'another version of the signature',
      'wrong_secret',
      BODY,
      {
        ...signedByTheStandard(),
        'webhook-signature': signedByTheStandard()['webhook-signature']!.replace('v1,', 'v2,'),
      },
    ],
    ['no headers', 'headers', BODY, {}],
    ['no time', 'headers', BODY, { ...signedByTheStandard(), 'webhook-timestamp': 'noon' }],
    ['an old timestamp', 'clock', BODY, signedByTheStandard(BODY, SECRET, at(-310))],
    ['a timestamp in the future', 'clock', BODY, signedByTheStandard(BODY, SECRET, at(310))],
    ['something else, signed', 'body', '[]', signedByTheStandard('[]')],
    ['invalid JSON, signed', 'body', 'hello', signedByTheStandard('hello')],
    ['nothing, signed', 'body', 'null', signedByTheStandard('null')],
    ['a byte order mark, signed', 'body', Buffer.from(`\uFEFF${BODY}`), signedByTheStandard(`\uFEFF${BODY}`)],
    ['an event without a type, signed', 'body', NOTHING, signedByTheStandard(NOTHING)],
  ])('rejects %s with the reason %s', async (_, reason, body: unknown, headers) => {
    expect(await reasonOf(verifyWebhook(body as string, headers, SECRET))).toBe(reason);
  });

  it('applies the tolerance that the caller sets', async () => {
    const headers = signedByTheStandard(BODY, SECRET, at(-250));
    expect(await reasonOf(verifyWebhook(BODY, headers, SECRET))).toBe('taken');
    expect(await reasonOf(verifyWebhook(BODY, headers, SECRET, { toleranceSeconds: 60 }))).toBe('clock');
  });

  it('rejects an invalid secret before it compares anything', async () => {
    for (const secret of ['', 'whsec_', 'whsec_%%', [], [SECRET, '']]) {
      const reason = await reasonOf(verifyWebhook(BODY, signedByTheStandard(), secret));
      expect(reason).toMatch(/whsec_ and base64|no secret/);
    }
  });
});
