import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

/** Files of a release that install.sh reads; scripts/install-check installs a whole one in a chroot of Debian. */
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const NAME = `tilld-${version}-linux-x64`;
const base = mkdtempSync(join(tmpdir(), 'tilld install-'));
let folder: string;
let root: string;
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A manifest of the present files, in the format of scripts/release. */
function writeManifest(release: string): void {
  const sums =
    "find . -type f ! -name MANIFEST.sha256 -printf '%P\\n' | sort | xargs -d '\\n' sha256sum > MANIFEST.sha256";
  execFileSync('bash', ['-c', sums], { cwd: release });
}

beforeEach(() => {
  folder = mkdtempSync(join(base, 'release-'));
  root = mkdtempSync(join(base, 'machine-'));
  const release = join(folder, NAME);
  mkdirSync(join(release, 'node_modules/.bin'), { recursive: true });
  symlinkSync(process.execPath, join(release, 'node_modules/.bin/node'));
  cpSync('config', join(release, 'config'), { recursive: true });
  cpSync('package.json', join(release, 'package.json'));
  cpSync('scripts/install.sh', join(release, 'install.sh'));
  writeManifest(release);
});

interface Run {
  readonly status: number | null;
  readonly output: string;
}

function install(...args: string[]): Run {
  const { status, stdout, stderr } = spawnSync(join(folder, NAME, 'install.sh'), [...args, '--root', root], {
    encoding: 'utf8',
    input: '',
  });
  return { status, output: stdout + stderr };
}

/** Every path below the root, with its mode, time of change and text. */
function snapshot(): string[] {
  return globSync('**/*', { cwd: root })
    .toSorted()
    .map((path) => {
      const info = lstatSync(join(root, path));
      const text = info.isFile()
        ? readFileSync(join(root, path), 'utf8')
        : info.isSymbolicLink()
          ? readlinkSync(join(root, path))
          : '';
      return `${path} ${(info.mode & 0o777).toString(8)} ${info.mtimeMs} ${text}`;
    });
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const mode = (path: string): string => (lstatSync(join(root, path)).mode & 0o777).toString(8);

describe('install.sh', () => {
  it('lists every change in a dry run and makes none', () => {
    const before = snapshot();
    const { status, output } = install('--dry-run', '--domain', 'pay.shop.example');
    expect(status).toBe(0);
    expect(snapshot()).toEqual(before);
    for (const path of ['/opt/tilld/current', '/etc/tilld/passphrase', '/var/lib/tilld', 'tilld.service'])
      expect(output).toContain(path);
    expect(output).toMatch(/^(\d+) changes, none made$/m);
  });

  it('installs the release below releases/, with settings for the domain and secrets that only root can read', () => {
    expect(install('--domain', 'pay.shop.example').status).toBe(0);
    expect(readlinkSync(join(root, 'opt/tilld/current'))).toBe(`releases/${version}`);
    expect(existsSync(join(root, 'opt/tilld/current/install.sh'))).toBe(true);
    expect(readlinkSync(join(root, 'usr/local/bin/tillctl'))).toBe('/opt/tilld/current/bin/tillctl');
    expect(read('etc/tilld/tilld.yaml')).toMatch(/^ {2}baseUrl: https:\/\/pay\.shop\.example #/m);
    expect(read('etc/tilld/tilld.yaml')).toMatch(/^ {2}trustProxy: on #/m);
    expect(read('etc/tilld/passphrase')).toMatch(/^[\w+/]{43}=\n$/);
    expect([mode('etc/tilld/passphrase'), mode('etc/tilld/secrets.env')]).toEqual(['600', '600']);
    expect(mode('var/lib/tilld')).toBe('700');
    for (const unit of ['tilld.service', 'tilld-replica.service'])
      expect(read(`etc/systemd/system/${unit}`)).toBe(readFileSync(`config/${unit}`, 'utf8'));
  });

  it('changes nothing when it runs again, and keeps settings that were edited', () => {
    install('--domain', 'pay.shop.example');
    writeFileSync(join(root, 'etc/tilld/tilld.yaml'), 'network: mainnet\n');
    const before = snapshot();
    const again = install('--domain', 'pay.shop.example');
    expect(again.output).toMatch(/^nothing to change$/m);
    expect(again.output).toContain('its http.baseUrl is not https://pay.shop.example');
    expect(snapshot()).toEqual(before);
  });

  it('restores the permissions of a file that was made readable for other users', () => {
    install();
    execFileSync('chmod', ['644', join(root, 'etc/tilld/passphrase')]);
    expect(install().output).toMatch(/^1 changes made$/m);
    expect(mode('etc/tilld/passphrase')).toBe('600');
  });

  it('configures a local Bitcoin node when its cookie file exists', () => {
    mkdirSync(join(root, 'var/lib/litecoind'), { recursive: true });
    writeFileSync(join(root, 'var/lib/litecoind/.cookie'), 'x');
    install();
    const settings = read('etc/tilld/tilld.yaml');
    expect(settings).toMatch(
      /LTC:\n {4}rpcUrl: http:\/\/127\.0\.0\.1:9332 #.*\n.*\n {4}cookieFile: \/var\/lib\/litecoind\/\.cookie #/,
    );
    expect(settings).toMatch(/BTC:\n {4}rpcUrl: #/);
  });

  it('imports a site into Caddy once, and uninstall removes it', () => {
    mkdirSync(join(root, 'etc/caddy'), { recursive: true });
    writeFileSync(join(root, 'etc/caddy/Caddyfile'), ':80\n');
    install('--domain', 'pay.shop.example');
    install('--domain', 'pay.shop.example');
    expect(read('etc/caddy/Caddyfile').match(/^import \/etc\/caddy\/tilld\.caddy$/gm)).toHaveLength(1);
    expect(read('etc/caddy/tilld.caddy')).toMatch(/^pay\.shop\.example \{$/m);
    install('uninstall');
    expect(read('etc/caddy/Caddyfile')).not.toContain('tilld');
    expect(existsSync(join(root, 'etc/caddy/tilld.caddy'))).toBe(false);
  });

  it('enables a site of nginx only once there is a certificate', () => {
    mkdirSync(join(root, 'etc/nginx/sites-available'), { recursive: true });
    mkdirSync(join(root, 'etc/nginx/sites-enabled'));
    expect(install('--domain', 'pay.shop.example').output).toContain('nginx has no certificate');
    expect(existsSync(join(root, 'etc/nginx/sites-enabled/tilld'))).toBe(false);
    mkdirSync(join(root, 'etc/letsencrypt/live/pay.shop.example'), { recursive: true });
    writeFileSync(join(root, 'etc/letsencrypt/live/pay.shop.example/fullchain.pem'), 'x');
    install('--domain', 'pay.shop.example');
    expect(readlinkSync(join(root, 'etc/nginx/sites-enabled/tilld'))).toBe(
      '/etc/nginx/sites-available/tilld',
    );
    expect(read('etc/nginx/sites-available/tilld')).not.toContain('pay.example.com');
  });

  it('refuses a release with a changed file, before any change', () => {
    writeFileSync(join(folder, NAME, 'config/tilld.service'), '[Service]\nExecStart=/bin/false\n');
    const before = snapshot();
    const { status, output } = install();
    expect([status, output]).toEqual([1, expect.stringContaining('differ from MANIFEST.sha256')]);
    expect(snapshot()).toEqual(before);
  });

  it('verifies the archive from which it was unpacked, and its signature by a given key', () => {
    const run = (command: string) => execFileSync('bash', ['-ec', command], { cwd: folder, stdio: 'pipe' });
    const sign = (key: string) => {
      run(
        `tar -czf ${NAME}.tar.gz ${NAME} && sha256sum ${NAME}.tar.gz > SHA256SUMS && rm -f SHA256SUMS.sig ${key}*`,
      );
      run(
        `ssh-keygen -q -t ed25519 -N '' -f ${key} && ssh-keygen -q -Y sign -f ${key} -n tilld-release SHA256SUMS`,
      );
      run(`echo "release $(cat ${key}.pub)" > ${key}.signers`);
    };
    sign('other');
    sign('key');
    const verified = install('--dry-run', '--signers', join(folder, 'key.signers'));
    expect(verified.output).toMatch(/verified: tilld\S+ against SHA256SUMS/);
    expect(verified.output).toMatch(/verified: the signature of SHA256SUMS/);
    const wrong = install('--signers', join(folder, 'other.signers'));
    expect([wrong.status, wrong.output]).toEqual([1, expect.stringContaining('is not by a key of')]);
    writeFileSync(join(folder, `${NAME}.tar.gz`), 'damaged');
    expect(install().output).toContain('differs from SHA256SUMS');
    expect(existsSync(join(root, 'opt'))).toBe(false);
  });

  it('refuses to replace another version, and prints the update command', () => {
    install();
    writeFileSync(join(folder, NAME, 'package.json'), '{"version":"99.0.0"}');
    writeManifest(join(folder, NAME));
    const { status, output } = install();
    expect([status, output]).toEqual([1, expect.stringContaining('tillctl update')]);
    expect(readlinkSync(join(root, 'opt/tilld/current'))).toBe(`releases/${version}`);
  });

  it('creates no new passphrase for the keyring of an earlier installation', () => {
    mkdirSync(join(root, 'var/lib/tilld'), { recursive: true });
    writeFileSync(join(root, 'var/lib/tilld/keyring.json'), '{}');
    expect(install().output).toContain('put its passphrase into /etc/tilld/passphrase first');
    expect(existsSync(join(root, 'etc'))).toBe(false);
  });

  it.each(['pay.example.com/x', '-a.example', 'a b', 'A$(id)'])('refuses %j as a domain', (domain) => {
    expect(install('--domain', domain)).toMatchObject({ status: 1 });
  });
});

describe('install.sh uninstall', () => {
  it('removes program and systemd units, and keeps keys, data and settings', () => {
    install();
    writeFileSync(join(root, 'var/lib/tilld/keyring.json'), '{}');
    expect(install('uninstall', '--dry-run').output).toMatch(/changes, none made$/m);
    expect(existsSync(join(root, 'opt/tilld/current'))).toBe(true);
    expect(install('uninstall').status).toBe(0);
    for (const path of ['opt/tilld', 'usr/local/bin/tillctl', 'etc/systemd/system/tilld.service'])
      expect(existsSync(join(root, path))).toBe(false);
    for (const path of ['var/lib/tilld/keyring.json', 'etc/tilld/passphrase', 'etc/tilld/tilld.yaml'])
      expect(existsSync(join(root, path))).toBe(true);
    expect(install().status).toBe(0);
  });

  it('deletes keys and data with --purge only after the operator has typed the requested words', () => {
    install();
    expect(install('uninstall', '--purge').output).toContain('nothing was changed');
    expect(existsSync(join(root, 'etc/tilld/passphrase'))).toBe(true);
    execFileSync(join(folder, NAME, 'install.sh'), ['uninstall', '--purge', '--root', root], {
      input: 'delete the keys\n',
    });
    for (const path of ['opt/tilld', 'etc/tilld', 'var/lib/tilld'])
      expect(existsSync(join(root, path))).toBe(false);
  });
});
