import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { buildSources, install, VERSION } from '../../_helpers/installed.ts';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { SmtpSink } from '../../_helpers/smtp-sink.ts';
import { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const LIMIT_MS = 600_000;
const PASSPHRASE = 'a passphrase of the operator';
const NOBODY = 65_534;

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(program: string, args: readonly string[], env: Record<string, string>): Promise<Result> {
  return new Promise((done) => {
    execFile(program, args, { env, encoding: 'utf8' }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe('tillctl', () => {
  it(
    'lists its commands with a description of each',
    async () => {
      const { code, stdout } = await runTool('tillctl', ['--help']);
      expect(code).toBe(0);
      const commands = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name!);
      expect(commands).toEqual(
        expect.arrayContaining(['status', 'check-config', 'restore-test', 'users', 'logs']),
      );
      for (const name of commands.filter((each) => each !== 'version')) {
        const help = await runTool('tillctl', [name, '--help']);
        expect({ name, code: help.code, text: help.stdout }).toEqual({
          name,
          code: 0,
          text: expect.stringContaining(`tillctl ${name}`) as string,
        });
      }
    },
    LIMIT_MS,
  );

  it('answers an unknown command with the closest one and exit code 2', async () => {
    const { code, stderr } = await runTool('tillctl', ['bakup']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean backup?'),
    });
    expect((await runTool('tillctl', ['constructor'])).code).toBe(2);
  });

  it('prints its version', async () => {
    expect(await runTool('tillctl', ['version'])).toMatchObject({ code: 0, stdout: `${VERSION}\n` });
  });
});

describe('tillctl status', () => {
  it(
    'shows version, readiness, database and backups of a running daemon, for people and as JSON',
    async () => {
      await using till = await Till.start();
      await till.ready();
      const env = { TILLD_PORT: new URL(till.api.baseUrl).port };
      const args = ['--data-dir', till.dataDir];
      const { code, stdout } = await runTool('tillctl', ['status', ...args], { env });
      expect({ code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`${VERSION}, ready`),
      });
      expect(stdout).toMatch(/^BTC-sandbox +following$/m);
      expect(stdout).toMatch(/^last backup +never$/m);
      const json = await runTool('tillctl', ['status', '--json', ...args], { env });
      expect(JSON.parse(json.stdout)).toMatchObject({ running: VERSION, ready: true, dataDir: till.dataDir });
    },
    LIMIT_MS,
  );

  it('prints that no daemon responds, with exit code 1', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tillctl-'));
    const env = { TILLD_PORT: String(await freePort()), TILLD_DATA_DIR: dir };
    const { code, stdout } = await runTool('tillctl', ['status'], { env });
    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('does not respond') });
    rmSync(dir, { recursive: true });
  });
});

describe('tillctl check-config', () => {
  interface Finding {
    readonly check: string;
    readonly result: string;
    readonly detail: string;
  }

  const findMail = (findings: Finding[]) => findings.find(({ check: name }) => name === 'mail');

  async function check(env: Record<string, string>): Promise<{ code: number | null; findings: Finding[] }> {
    const { code, stdout } = await runTool('tillctl', ['check-config', '--json'], { env });
    return { code, findings: JSON.parse(stdout) as Finding[] };
  }

  it('reports settings that have no effect: mainnet without a node, an address without a mail server', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tillctl-'));
    const { code, findings } = await check({
      TILLD_DATA_DIR: dir,
      TILLD_NETWORK: 'mainnet',
      TILLD_RATES: 'live',
      TILLD_OPERATOR_EMAIL: 'me@example.com',
    });
    expect(code).toBe(1);
    expect(findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ check: 'nodes', result: 'failed' }),
        expect.objectContaining({ check: 'mail', result: 'failed' }),
        expect.objectContaining({ check: 'backups', result: 'ok' }),
      ]),
    );
    const texts = findings.map(({ detail }) => detail).join('\n');
    expect(texts).toContain('no node is configured');
    expect(texts).toContain('TILLD_OPERATOR_EMAIL has no effect');
    rmSync(dir, { recursive: true });
  });

  it('reports a passphrase file that every user can read, and a node that does not respond', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tillctl-'));
    const passphrase = join(dir, 'passphrase');
    writeFileSync(passphrase, PASSPHRASE, { mode: 0o644 });
    chmodSync(passphrase, 0o644);
    const env = {
      TILLD_DATA_DIR: dir,
      TILLD_NETWORK: 'regtest',
      TILLD_BTC_RPC_URL: `http://127.0.0.1:${await freePort()}`,
      TILLD_KEYRING_PASSPHRASE_FILE: passphrase,
    };
    const { code, findings } = await check(env);
    expect(code).toBe(1);
    expect(findings).toContainEqual(expect.objectContaining({ check: 'node BTC', result: 'failed' }));
    const secret = {
      check: 'secrets',
      result: 'failed',
      detail: expect.stringContaining(passphrase) as string,
    };
    expect(findings).toContainEqual(secret);
    chmodSync(passphrase, 0o600);
    expect((await check(env)).findings).toContainEqual(
      expect.objectContaining({ check: 'secrets', result: 'ok' }),
    );
    rmSync(dir, { recursive: true });
  });

  it(
    'sends a test email to the operator or a given address, and reports an unreachable mail server',
    async () => {
      const sink = await SmtpSink.start();
      const dir = mkdtempSync(join(tmpdir(), 'tillctl-'));
      const env = { TILLD_DATA_DIR: dir, TILLD_SMTP_URL: sink.url, TILLD_OPERATOR_EMAIL: 'me@example.com' };
      expect(findMail((await check(env)).findings)).toMatchObject({ result: 'ok' });
      await runTool('tillctl', ['check-config', '--mail-to', 'other@example.com'], { env });
      expect(sink.mails.flatMap(({ to }) => to).map((to) => to.replace(/[<>]/g, ''))).toEqual([
        'me@example.com',
        'other@example.com',
      ]);
      await sink.stop();
      expect(findMail((await check(env)).findings)).toMatchObject({ result: 'failed' });
      rmSync(dir, { recursive: true });
    },
    LIMIT_MS,
  );

  it('rejects an operator address that is not an e-mail address, with exit code 2', async () => {
    const { code, stderr } = await runTool('tillctl', ['check-config'], {
      env: { TILLD_OPERATOR_EMAIL: 'me' },
    });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('e-mail address') });
  });
});

describe('tillctl restore-test', () => {
  it(
    'restores the newest backup into a temporary directory, counts its rows, deletes it, and rejects a damaged backup',
    async () => {
      const env = { TILLD_KEYRING_PASSPHRASE: PASSPHRASE };
      await using till = await Till.start(env);
      const shop = await Shop.open(till.api);
      await shop.createPayment();
      const data = ['--data-dir', till.dataDir];
      expect(await runTool('tillctl', ['restore-test', ...data], { env })).toMatchObject({ code: 2 });
      const backup = await runTool('tillctl', ['backup', ...data], { env });
      expect(backup).toMatchObject({ code: 0 });
      const passed = await runTool('tillctl', ['restore-test', ...data], { env });
      expect(passed).toMatchObject({ code: 0, stdout: expect.stringContaining('payments 1') });
      expect(readdirSync(till.dataDir).filter((name) => name.startsWith('restore-test-'))).toEqual([]);
      const status = await runTool('tillctl', ['status', ...data], { env });
      expect(status.stdout).not.toMatch(/restore test +never/);
      const file = backup.stdout.replace(/ \(.*\n$/, '');
      writeFileSync(file, 'damaged', { flag: 'r+' });
      expect(await runTool('tillctl', ['restore-test', file, ...data], { env })).toMatchObject({ code: 1 });
    },
    LIMIT_MS,
  );
});

describe.skipIf(userInfo().uid !== 0)('tillctl of an installed service, run by root', () => {
  let root: string;
  let tillctl: string;
  const env = (): Record<string, string> => ({
    PATH: '/usr/bin:/bin',
    TILLCTL_UNIT: join(root, 'tilld.service'),
  });

  beforeAll(() => {
    root = mkdtempSync('/var/tmp/tillctl-');
    chmodSync(root, 0o755);
    tillctl = join(install(join(root, 'opt'), buildSources()), 'bin/tillctl');
    mkdirSync(join(root, 'data'), { mode: 0o700 });
    chownSync(join(root, 'data'), NOBODY, NOBODY);
    writeFileSync(join(root, 'passphrase'), `${PASSPHRASE}\n`, { mode: 0o600 });
    writeFileSync(join(root, 'secrets.env'), '# of the nodes\nTILLD_LOG_LEVEL="warn"\n', { mode: 0o600 });
    const unit = `[Service]
User=nobody
Group=nogroup
Environment=NODE_ENV=production
Environment=TILLD_CONFIG=${resolve('test/_helpers/till.yaml')}
Environment="TILLD_DATA_DIR=${join(root, 'wrong')}"
EnvironmentFile=-${join(root, 'missing.env')}
EnvironmentFile=-${join(root, 'secrets.env')}
LoadCredential=passphrase:${join(root, 'passphrase')}
Environment=TILLD_KEYRING_PASSPHRASE_FILE=%d/passphrase
`;
    writeFileSync(join(root, 'tilld.service'), unit);
    mkdirSync(join(root, 'tilld.service.d'));
    const dropIn = `[Service]\nEnvironment=TILLD_DATA_DIR=${join(root, 'data')}\n`;
    writeFileSync(join(root, 'tilld.service.d/data.conf'), dropIn);
  }, LIMIT_MS);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it(
    'executes as the user of the service, with its environment and its credentials',
    async () => {
      const words = join(root, 'words');
      writeFileSync(words, `${'abandon '.repeat(23)}art`, { mode: 0o644 });
      writeFileSync(join(root, 'password'), 'correct horse battery', { mode: 0o644 });
      const args = [
        'seed',
        'restore',
        '--email',
        'you@example.com',
        '--accounts',
        '1',
        '--gap',
        '1',
        '--scan',
        '0',
      ];
      const files = ['--words-file', words, '--password-file', join(root, 'password')];
      expect(await run(tillctl, [...args, ...files], env())).toMatchObject({
        code: 0,
        stderr: expect.not.stringContaining('Error') as string,
      });
      const database = statSync(join(root, 'data/tilld.sqlite'));
      expect([database.uid, database.mode & 0o777]).toEqual([NOBODY, 0o600]);
      // Without a passphrase file next to it, the passphrase was that of the credential.
      expect(readdirSync(join(root, 'data'))).not.toContain('keyring-passphrase');
      const verified = await run(tillctl, ['seed', 'verify', '--words-file', words], env());
      expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('these are the words') });
      const users = await run(tillctl, ['users', 'list'], env());
      expect(users).toMatchObject({ code: 0, stdout: expect.stringContaining('you@example.com') });
      expect(await run(tillctl, ['check'], env())).toMatchObject({ code: 0 });
    },
    LIMIT_MS,
  );

  it(
    'decrypts a credential of LoadCredentialEncrypted as systemd does, in place of the unencrypted one',
    async () => {
      const dropIn = join(root, 'tilld.service.d/encrypted.conf');
      const [folder, sealed] = [join(root, 'programs'), join(root, 'passphrase.cred')];
      mkdirSync(folder);
      // In place of systemd-creds, which needs the key of a machine: decrypts by base64, and checks the name.
      const program =
        '#!/bin/sh\n[ "$*" = "decrypt --name=passphrase $3 -" ] && exec base64 -d "$3"\nexit 1\n';
      writeFileSync(join(folder, 'systemd-creds'), program, { mode: 0o755 });
      writeFileSync(sealed, Buffer.from(`${PASSPHRASE}\n`).toString('base64'), { mode: 0o644 });
      writeFileSync(dropIn, `[Service]\nLoadCredential=\nLoadCredentialEncrypted=passphrase:${sealed}\n`);
      const environment = { ...env(), PATH: `${folder}:/usr/bin:/bin` };
      const words = join(root, 'words');
      const verify = ['seed', 'verify', '--words-file', words];
      try {
        expect(await run(tillctl, verify, environment)).toMatchObject({ code: 0 });
        const checked = await run(tillctl, ['check-config', '--no-mail'], environment);
        // The encrypted file is no secret: others may read it.
        expect(checked.stdout).toMatch(/^ok +secrets/m);
        rmSync(sealed);
        expect(await run(tillctl, verify, environment)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('cannot be decrypted') as string,
        });
      } finally {
        rmSync(dropIn);
      }
      expect(await run(tillctl, verify, env())).toMatchObject({ code: 0 });
    },
    LIMIT_MS,
  );

  it(
    'checks the permissions of the files that the unit names',
    async () => {
      const command = [tillctl, ['check-config', '--no-mail'], env()] as const;
      const check = async () => (await run(...command)).stdout;
      expect(await check()).toMatch(/^ok +secrets/m);
      chmodSync(join(root, 'secrets.env'), 0o644);
      expect(await check()).toMatch(/^FAILED +secrets: .*secrets[.]env/m);
      chmodSync(join(root, 'secrets.env'), 0o600);
    },
    LIMIT_MS,
  );

  it(
    'refuses other users, unless the caller specifies a configuration',
    async () => {
      const asOther = await run('setpriv', ['--reuid', '12345', '--clear-groups', tillctl, 'status'], env());
      expect(asOther).toMatchObject({ code: 1, stderr: expect.stringContaining('run it as root') });
      const own = {
        ...env(),
        TILLD_CONFIG: resolve('test/_helpers/till.yaml'),
        TILLD_DATA_DIR: join(root, 'own'),
      };
      expect((await run(tillctl, ['status'], own)).stdout).toContain(join(root, 'own'));
    },
    LIMIT_MS,
  );
});
