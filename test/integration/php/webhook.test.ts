import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { runPhp } from './run-php.ts';

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

const at = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

/** Headers by the library of the standard. */
function signed(body = BODY, secret = SECRET, when = at(0)): Record<string, string> {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(when.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', when, body),
  };
}

/** What becomes of a request: the type of its event, or why it was refused. */
async function verify(
  body: string,
  headers: Record<string, string>,
  secrets: string | string[] = SECRET,
): Promise<string> {
  return runPhp(
    `try {
      return Tilld\\Tilld::verifyWebhook($given['body'], $given['headers'], $given['secrets'])['type'];
    } catch (Tilld\\WebhookException $refused) { return $refused->reason; }`,
    { body, headers, secrets },
  );
}

it('the PHP webhook verifier accepts standard signatures, with headers in the form that PHP provides', async () => {
  const headers = signed();
  const capital = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  const server = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
      value,
    ]),
  );
  for (const given of [headers, capital, server]) expect(await verify(BODY, given)).toBe('payment.completed');
});

it('the PHP webhook verifier accepts the old and the new secret during a rotation, in the settings of the shop and in the signature header', async () => {
  expect(await verify(BODY, signed(), [OTHER, SECRET])).toBe('payment.completed');
  const both = `${new Webhook(OTHER).sign('evt_1', at(0), BODY)} ${signed()['webhook-signature']}`;
  expect(await verify(BODY, { ...signed(), 'webhook-signature': both })).toBe('payment.completed');
});

it.each([
  ['no body', 'no_raw_body', '', signed('')],
  ['a changed body', 'wrong_secret', `${BODY} `, signed()],
  ['another id', 'wrong_secret', BODY, { ...signed(), 'webhook-id': 'evt_2' }],
  [
    'another time',
    'wrong_secret',
    BODY,
    { ...signed(), 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 9) },
  ],
  ['another secret', 'wrong_secret', BODY, signed(BODY, OTHER)],
  ['a signature of another version', 'wrong_secret', BODY, { ...signed(), 'webhook-signature': 'v2,AAAA' }],
  ['no signature', 'headers', BODY, { ...signed(), 'webhook-signature': '' }],
  ['no time', 'headers', BODY, { ...signed(), 'webhook-timestamp': '12x' }],
  ['an old timestamp', 'clock', BODY, signed(BODY, SECRET, at(-400))],
  ['a timestamp in the future', 'clock', BODY, signed(BODY, SECRET, at(400))],
  ['no event', 'body', '[1]', signed('[1]')],
])('the PHP webhook verifier explains why it rejects %s', async (_, reason, body, headers) => {
  expect(await verify(body, headers)).toBe(reason);
});

it('the PHP client creates signatures for tests according to Standard Webhooks', async () => {
  const headers = await runPhp<Record<string, string>>(
    `return Tilld\\Tilld::signForTest($given['body'], $given['secret'], 'evt_1');`,
    { body: BODY, secret: SECRET },
  );
  expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY));
});
