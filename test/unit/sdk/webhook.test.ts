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

describe('takes what the standard signs', () => {
  it.each([
    ['text', BODY],
    ['a Buffer', Buffer.from(BODY)],
    ['bytes', new TextEncoder().encode(BODY)],
    ['an ArrayBuffer', new TextEncoder().encode(BODY).buffer],
  ])('as %s', async (_, body) => {
    const event = await verifyWebhook(body, signedByTheStandard(), SECRET);
    // Narrowed by its type: `payment` is there without a cast.
    const paymentId = event.type === 'payment.completed' ? event.data.payment.id : null;
    expect(paymentId).toBe('pay_1');
  });

  it('with headers as Node, fetch and some servers have them', async () => {
    const headers = signedByTheStandard();
    const capital = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const given of [headers, new Headers(headers), capital]) {
      expect(await reasonOf(verifyWebhook(BODY, given, [SECRET]))).toBe('taken');
    }
  });

  it('while one secret replaces another, on either side', async () => {
    expect(await reasonOf(verifyWebhook(BODY, signedByTheStandard(), [OTHER, SECRET]))).toBe('taken');
    const both = {
      ...signedByTheStandard(),
      'webhook-signature': `${new Webhook(OTHER).sign('evt_1', new Date(), BODY)} ${signedByTheStandard()['webhook-signature']}`,
    };
    expect(await reasonOf(verifyWebhook(BODY, both, SECRET))).toBe('taken');
  });
});

it('signs for tests as the standard does', async () => {
  const headers = await signForTest(BODY, SECRET, { id: 'evt_1' });
  expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY));
  expect(await reasonOf(verifyWebhook(BODY, headers, SECRET))).toBe('taken');
});

const at = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

describe('says why it takes nothing else', () => {
  it.each([
    ['a parsed body', 'no_raw_body', JSON.parse(BODY), signedByTheStandard()],
    ['no body', 'no_raw_body', undefined, signedByTheStandard()],
    ['a changed body', 'wrong_secret', `${BODY} `, signedByTheStandard()],
    ['malformed bytes', 'wrong_secret', Buffer.from(BODY).fill(0xff, 40, 41), signedByTheStandard()],
    ['another id', 'wrong_secret', BODY, { ...signedByTheStandard(), 'webhook-id': 'evt_2' }],
    ['another secret', 'wrong_secret', BODY, signedByTheStandard(BODY, OTHER)],
    ['no signature in it', 'wrong_secret', BODY, { ...signedByTheStandard(), 'webhook-signature': 'v1,' }],
    [
      'one that is not base64',
      'wrong_secret',
      BODY,
      { ...signedByTheStandard(), 'webhook-signature': 'v1,%%' },
    ],
    [
      'another version of it',
      'wrong_secret',
      BODY,
      {
        ...signedByTheStandard(),
        'webhook-signature': signedByTheStandard()['webhook-signature']!.replace('v1,', 'v2,'),
      },
    ],
    ['no headers', 'headers', BODY, {}],
    ['no time', 'headers', BODY, { ...signedByTheStandard(), 'webhook-timestamp': 'noon' }],
    ['an old request', 'clock', BODY, signedByTheStandard(BODY, SECRET, at(-310))],
    ['one from the future', 'clock', BODY, signedByTheStandard(BODY, SECRET, at(310))],
    ['something else, signed', 'body', '[]', signedByTheStandard('[]')],
    ['no JSON, signed', 'body', 'hello', signedByTheStandard('hello')],
    ['nothing, signed', 'body', 'null', signedByTheStandard('null')],
    ['a byte order mark, signed', 'body', Buffer.from(`\uFEFF${BODY}`), signedByTheStandard(`\uFEFF${BODY}`)],
    ['an event of nothing', 'body', NOTHING, signedByTheStandard(NOTHING)],
  ])('%s: %s', async (_, reason, body: unknown, headers) => {
    expect(await reasonOf(verifyWebhook(body as string, headers, SECRET))).toBe(reason);
  });

  it('the tolerance is the caller’s', async () => {
    const headers = signedByTheStandard(BODY, SECRET, at(-250));
    expect(await reasonOf(verifyWebhook(BODY, headers, SECRET))).toBe('taken');
    expect(await reasonOf(verifyWebhook(BODY, headers, SECRET, { toleranceSeconds: 60 }))).toBe('clock');
  });

  it('a secret that is none, before anything is compared with it', async () => {
    for (const secret of ['', 'whsec_', 'whsec_%%', [], [SECRET, '']]) {
      const reason = await reasonOf(verifyWebhook(BODY, signedByTheStandard(), secret));
      expect(reason).toMatch(/whsec_ and base64|no secret/);
    }
  });
});
