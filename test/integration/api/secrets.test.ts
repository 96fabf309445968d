/** What must stay secret is in no log line, however talkative the log, and in no file of the database. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { base32nopad } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../_helpers/poll.ts';
import { readable } from '../../_helpers/smtp-sink.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { PREPARATIONS } from './preparations.ts';
import { fresh, PASSWORD, World, type Account, type Answer, type Request } from './world.ts';

/** By the name of the field that carries one, in requests and answers. */
const SECRET_FIELDS = new Set([
  'password',
  'currentPassword',
  'newPassword',
  'token',
  'secret',
  'value',
  'key',
  'webhookSecret',
  'codeVerifier',
  'recoveryCodes',
]);
const SECRET_SHAPES = [
  /\b[rs]k_[0-9A-Za-z]{43}\b/g,
  /\bwhsec_[0-9A-Za-z+/=]{16,}/g,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g,
  /(?<=\/r\/)[0-9A-Za-z]{43}/g,
  /(?<=[?&]code=)[0-9A-Za-z]{43}/g,
];

const lines: string[] = [];
const world = await World.start((line) => lines.push(line));
let account: Account;
const secrets = new Set<string>([PASSWORD]);
beforeAll(async () => {
  account = await world.account();
  const { email } = account;
  const { cookie } = await SessionClient.signIn(world.till.api.baseUrl, { email, password: PASSWORD });
  secrets.add(cookie.slice(cookie.indexOf('=') + 1));
  note({ sk: account.shop.secretKey, rk: account.restrictedKey, jwt: account.shop.token });
});
afterAll(async () => world.end());

/** Remembers every secret in what was sent or answered. */
function note(value: unknown): void {
  for (const shape of SECRET_SHAPES)
    for (const [found] of JSON.stringify(value ?? null).matchAll(shape)) secrets.add(found);
  collect(value);
}

function collect(value: unknown, isSecret = false): void {
  if (typeof value === 'string' && isSecret && value.length > 8 && !value.startsWith('pk_'))
    secrets.add(value);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value))
    collect(inner, SECRET_FIELDS.has(name) || (isSecret && Array.isArray(value)));
}

async function drive(
  endpoint: (typeof world.contract.routes)[number],
  request: Request,
  given: Request | null = request,
): Promise<Answer> {
  const answer = await world.send(endpoint, request);
  // The token of a domain is published by its owner.
  if (!endpoint.path.startsWith('/merchant/verify-domain'))
    for (const told of [given, answer.body]) note(told);
  return answer;
}

/** Those of the secrets that a text has, by what they begin with. */
function leaks(text: string): string[] {
  return [...secrets].filter((secret) => text.includes(secret)).map((secret) => secret.slice(0, 12));
}

/** Everything that the daemon wrote: the database, its WAL, and the other files of the data directory. */
function files(dataDir: string): [name: string, content: Buffer][] {
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'keyring-passphrase')
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name))]);
}

describe('the log and the database files', () => {
  it.each(world.contract.routes)(
    'are checked after valid and invalid requests to $name',
    async (endpoint) => {
      const example = account.request(endpoint);
      const prepared = (await PREPARATIONS[endpoint.name]?.(world, account, example)) ?? example;
      const from = lines.length;
      const answer = await drive(endpoint, prepared);
      expect(answer.body.error).toBeNull();
      const others = endpoint.method === 'GET' ? {} : { headers: { 'idempotency-key': fresh('again') } };
      // The same once more, now mostly refused; and with an address in each field, which some store as a name.
      await drive(endpoint, { ...prepared, ...others });
      const wrong = Object.fromEntries(
        Object.keys(prepared.body ?? {}).map((name) => [
          name,
          `https://user:${PASSWORD.replaceAll(' ', '-')}@x.example`,
        ]),
      );
      await drive(endpoint, { ...prepared, body: prepared.body && { ...prepared.body, ...wrong } }, null);
      const said = lines.slice(from);
      expect(leaks(said.join(''))).toEqual([]);
      expect(said.join('')).not.toContain(PASSWORD.replaceAll(' ', '-'));
    },
  );

  it('contain no secret in any log line', () => {
    const said = lines.join('');
    expect(said).toContain('"level":"debug"');
    expect(leaks(said)).toEqual([]);
  });

  it('contain no secret in any file, as text or as bytes', () => {
    const kinds = ['sk_', 'rk_', 'whsec_', 'eyJ'];
    for (const kind of kinds) expect([...secrets].some((secret) => secret.startsWith(kind))).toBe(true);
    expect(secrets.size).toBeGreaterThan(40);
    const found = files(world.till.dataDir);
    expect(found.map(([name]) => name)).toEqual(expect.arrayContaining(['tilld.sqlite', 'tilld.sqlite-wal']));
    for (const [name, content] of found) {
      expect(leaks(content.toString('latin1')), name).toEqual([]);
      const totp = [...secrets].filter((secret) => /^[A-Z2-7]{32}$/.test(secret));
      expect(totp.length).toBeGreaterThan(0);
      for (const secret of totp)
        expect(content.includes(Buffer.from(base32nopad.decode(secret))), name).toBe(false);
    }
  });

  it('contain no emailed token in any file', () => {
    const mailed = world.smtp.mails.flatMap(({ raw }) =>
      [...readable(raw).matchAll(/\?token=(\w+)/g)].map(([, token = '']) => token),
    );
    expect(mailed.length).toBeGreaterThan(3);
    expect(mailed.filter((token) => lines.join('').includes(token))).toEqual([]);
    for (const [name, content] of files(world.till.dataDir)) {
      expect(
        mailed.filter((token) => content.includes(token)),
        name,
      ).toEqual([]);
    }
  });
});

it('passwords of nodes and of the mail server appear in no output and in no file', async () => {
  const secret = `n0de-${randomBytes(8).toString('hex')}`;
  // Nothing listens there: every line about them is one of trouble.
  const at = '127.0.0.1:9';
  await using till = await TillProcess.start({
    TILLD_LOG_LEVEL: 'trace',
    TILLD_NETWORK: 'regtest',
    TILLD_BTC_RPC_URL: `http://rpc:${secret}@${at}`,
    TILLD_LTC_RPC_URL: `http://rpc:${secret}@${at}`,
    TILLD_ETH_RPC_URL: `http://${at}/v3/${secret}`,
    TILLD_SOL_RPC_URL: `http://${at}/?api-key=${secret}`,
    TILLD_SMTP_URL: `smtp://tilld:${secret}@${at}`,
    TILLD_SMTP_FROM: 'tilld@shop.example',
    TILLD_KEYRING_PASSPHRASE: `${secret}-passphrase`,
  });
  const body = { email: 'owner@example.com', password: PASSWORD };
  const { token } = await till.api.must<{ token: string }>('POST', '/auth/register', { body });
  await eventually(
    'trouble with each of them to be told',
    () => till.output,
    (output) =>
      ['BTC', 'LTC', 'ETH', 'SOL', 'mail'].every((name) =>
        new RegExp(`"(warn|error)".*${name}`).test(output),
      ),
    60_000,
  );
  const ready = await (await fetch(`${till.api.baseUrl}/readyz`)).text();
  const metrics = await (await fetch(`${till.api.baseUrl}/metrics`)).text();
  const told = { output: till.output, ready, metrics };
  for (const [name, text] of Object.entries(told)) {
    for (const hidden of [secret, token, PASSWORD]) expect(text.includes(hidden), name).toBe(false);
  }
  for (const [name, content] of files(till.dataDir)) {
    for (const hidden of [secret, token, PASSWORD]) expect(content.includes(hidden), name).toBe(false);
  }
});
