/** Invariants of the access table: the principles of docs/keys.md and docs/people.md. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Line {
  readonly name: string;
  /** The letter of a credential, by `group: name`. */
  readonly of: (credential: string) => string;
}

const text = readFileSync('test/integration/api/access-matrix.txt', 'utf8').trimEnd().split('\n');
const groups = text.flatMap((line) => {
  const [, group, names] = /^# ([a-z ]+): (.+)$/.exec(line) ?? [];
  return group === undefined || names === undefined ? [] : [{ group, names: names.split('; ') }];
});
const credentials = groups.flatMap(({ group, names }) => names.map((name) => `${group}: ${name}`));
const lines: Line[] = text.filter((line) => !line.startsWith('#')).map(parse);

function parse(line: string): Line {
  const [, letters = '', name = ''] = /^([-\w ]+?) {2}(.+)$/.exec(line) ?? [];
  const row = letters.replaceAll(' ', '').split('');
  if (row.length !== credentials.length) throw new Error(`${name} has ${row.length} letters`);
  return {
    name,
    of: (credential) => {
      const index = credentials.indexOf(credential);
      if (index < 0) throw new Error(`no credential ${credential}`);
      return row[index] ?? '';
    },
  };
}

/** Public, or open to every browser on a page of the daemon. */
const isOpen = ({ of }: Line): boolean => of('none: nothing') !== '-';
const isRead = ({ name }: Line): boolean => name.startsWith('GET ');
const guarded = lines.filter((line) => !isOpen(line));
/** About the caller's own account, or open to the bearer of an invitation token. */
const OWN = /^\w+ \/auth\/|\/connect\/request|\/merchant\/(create|people\/(accept|invitation))$/;
const ofShops = guarded.filter(({ name }) => !OWN.test(name) || name.startsWith('DELETE /merchant/people'));
const letIn = (some: readonly Line[], credential: string): string[] =>
  some.filter(({ of }) => of(credential) === 'Y').map(({ name }) => name);

it('the access table covers about a hundred operations and some forty credentials', () => {
  expect(lines.length).toBeGreaterThan(100);
  expect(credentials.length).toBeGreaterThan(40);
  expect(ofShops.length).toBeGreaterThan(75);
});

describe('the access table', () => {
  it.each([
    'none: nonsense',
    'public: regenerated public key',
    'secret: regenerated secret key',
    'restricted: expired key',
    'restricted: deleted key',
    'token: manager, from before the removal',
    'session: signed out',
  ])('refuses with 401 a credential that has ended or never existed: %s', (credential) => {
    expect(guarded.filter(({ of }) => of(credential) !== '-').map(({ name }) => name)).toEqual([]);
  });

  it('allows a public key to create payments, read the view of the payer and the rates, and nothing else', () => {
    expect(letIn(guarded, 'public: public key')).toEqual([
      'POST /payment/create',
      'GET /payment/get',
      'GET /rates',
    ]);
  });

  it.each([
    'secret: secret key of another account',
    'token: stranger',
    'token: former manager',
    'session: stranger',
  ])('hides every shop from %s', (credential) => {
    expect(letIn(ofShops, credential)).toEqual([]);
  });

  it('denies pages of other sites every operation, and every change without the CSRF header', () => {
    expect(letIn(guarded, 'foreign page: owner, another site')).toEqual([]);
    expect(
      letIn(
        guarded.filter((line) => !isRead(line)),
        'foreign page: owner, without the header',
      ),
    ).toEqual([]);
  });

  it('allows a session without step-up no operation that it denies a session with step-up', () => {
    const more = guarded.filter(
      ({ of }) => !['s', of('session: owner')].includes(of('session: owner, not stepped up')),
    );
    expect(more.map(({ name }) => name)).toEqual([]);
  });

  it('requires wallet:send for every operation that moves coins, and a step-up from every session', () => {
    const moving = lines.filter(({ name }) =>
      /\/wallet\/(send|consolidate)(\/(?!approvals)|$)|\/payment\/refund(-link\/approve)?$/.test(name),
    );
    expect(moving).toHaveLength(8);
    for (const { name, of } of moving) {
      for (const member of ['manager', 'clerk', 'bookkeeper'])
        expect([of(`token: ${member}`), of(`session: ${member}`)], name).toEqual(['f', 'f']);
      // No key of any scope decides a send that waits for approval.
      expect(of('restricted: payments:write'), name).toBe(
        /\/(approve|reject)$/.test(name) && !name.includes('refund') ? '-' : 'f',
      );
      expect(of('session: owner, not stepped up'), name).toBe('s');
    }
  });

  it('denies keys of every kind the operations on accounts, people, keys and new shops', () => {
    const managing = guarded.filter(({ name }) =>
      /\/auth\/|\/connect\/|\/merchant\/(keys|people|create|audit|notices)/.test(name),
    );
    expect(managing.length).toBeGreaterThan(30);
    for (const credential of credentials.filter((one) => /^(public|secret|restricted): /.test(one)))
      expect(letIn(managing, credential), credential).toEqual([]);
  });

  it.each(['suspended: secret key', 'suspended: wallet:send', 'suspended: manager, token'])(
    'denies %s every operation in a shop after a restore',
    (credential) => {
      expect(letIn(ofShops, credential)).toEqual([]);
    },
  );

  it('denies a restricted key with one scope every changing operation of other scopes', () => {
    const kinds: Readonly<Record<string, RegExp>> = {
      customers: /\/customer\//,
      catalog: /\/(product|price)\//,
      webhooks: /\/webhook/,
      wallet: /\/wallet\//,
      refunds: /\/refund-link/,
      payments: /\/payment\/|\/link\/|\/counter\/|\/sandbox\/payment|\/attention\//,
    };
    for (const [kind, path] of Object.entries(kinds)) {
      for (const access of ['read', 'write', 'send']) {
        const credential = `restricted: ${kind}:${access}`;
        if (!credentials.includes(credential)) continue;
        const foreign = guarded.filter((line) => !isRead(line) && !path.test(line.name));
        expect(letIn(foreign, credential), credential).toEqual([]);
      }
    }
  });
});
