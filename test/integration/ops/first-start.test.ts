import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy, type Proxy } from '../../_helpers/connect-proxy.ts';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { isBeforeRelease } from '../../_helpers/timing/longest-first.ts';

/** Packages are downloaded and everything is built. */
const LIMIT_MS = 1_500_000;
const FILES = [
  '.npmrc',
  'src',
  'locales',
  'scripts',
  'config',
  'packages/sdk',
  'package.json',
  'package-lock.json',
];
const OLDEST_NPM = '14, the oldest';
const DEBIAN_12 = '18, as Debian 12 has it';
const DEBIAN_13 = '20, as Debian 13 has it';
/** Node and npm as Debian, Ubuntu and nodejs.org bring them together. */
const MACHINES: Readonly<Record<string, readonly [node: string, npm: string]>> = {
  [OLDEST_NPM]: ['14.21.3', '6.14.18'],
  [DEBIAN_12]: ['18.20.8', '9.2.0'],
  [DEBIAN_13]: ['20.19.6', '9.2.0'],
  '22': ['22.23.3', '10.9.9'],
  '24': ['24.21.0', '11.19.1'],
};
/** The others run before a release. */
const TESTED = isBeforeRelease
  ? Object.keys(MACHINES).filter((name) => name !== OLDEST_NPM)
  : [DEBIAN_12, DEBIAN_13];
/** Left out by npm 9 under Node 18, without which nothing is built. */
const LEFT_OUT = `node_modules/@rolldown/binding-${process.platform}-${process.arch}-gnu`;

/** On the disk: with its packages it is too large for a temporary file system in memory. */
const dir = mkdtempSync('/var/tmp/till first start-');
const clone = join(dir, 'a clone');
const modules = join(clone, 'node_modules');
const children: ChildProcess[] = [];
let proxy: Proxy;

/** Root installs as an unprivileged user; other users as themselves. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Without a home or a cache, and the registry is reached through the proxy alone. Certificates are this machine's. */
function environment(path: string): Record<string, string> {
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  return {
    PATH: path,
    HTTP_PROXY: proxy.url,
    HTTPS_PROXY: proxy.url,
    ...(certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
  };
}

/** Installs a Node and an npm as those of a machine. @returns a PATH that begins with them. */
function installMachine(name: string): string {
  const [node, npm] = MACHINES[name] ?? ['', ''];
  const at = join(dir, `node ${node}`);
  const bin = join(at, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(at, 'package.json'), '{"private":true}');
  const program = `node-${process.platform}-${process.arch}`;
  const wanted = [`${program}@${node}`, `npm@${npm}`];
  execFileSync('npm', ['install', '--no-save', '--ignore-scripts', '--loglevel=error', ...wanted], {
    cwd: at,
  });
  symlinkSync(join(at, `node_modules/${program}/bin/node`), join(bin, 'node'));
  symlinkSync(join(at, 'node_modules/npm/bin/npm-cli.js'), join(bin, 'npm'));
  return `${bin}:/usr/bin:/bin`;
}

beforeAll(async () => {
  proxy = await startProxy();
  const settings = readdirSync('.').filter((name) =>
    /^(tsconfig.*[.]json|(rolldown|vite)[.]config[.]ts)$/.test(name),
  );
  for (const name of [...FILES, ...settings]) cpSync(name, join(clone, name), { recursive: true });
  cpSync('test/_helpers/till.yaml', join(clone, 'till.yaml'));
  rmSync(join(clone, 'packages/sdk/node_modules'), { recursive: true, force: true });
  chmodSync(dir, 0o755);
});
afterAll(async () => {
  for (const child of children) await endStart(child);
  await proxy.close();
  rmSync(dir, { recursive: true, force: true });
});

async function endStart(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await new Promise((done) => child.once('exit', done));
}

it('scripts/start names the package to install when npm is missing', () => {
  const tools = join(dir, 'tools');
  mkdirSync(tools);
  for (const name of ['bash', 'cat', 'cksum', 'dirname', 'env', 'flock'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(tools, name));
  const run = () =>
    execFileSync(join(clone, 'scripts/start'), { env: environment(tools), encoding: 'utf8', stdio: 'pipe' });
  expect(run).toThrow(/npm is missing. Install Node.js with npm, version 14 or later/);
});

it(
  'scripts/start downloads the pinned Node and an npm that runs with it by the npm of Node 14',
  async () => {
    const into = join(dir, 'installer');
    mkdirSync(into);
    const bring =
      'source scripts/_env.sh && _bring_installer "$0" && "$0/bin/node" "$0/node_modules/.bin/npm" --version';
    const { stdout } = await promisify(execFile)('bash', ['-c', bring, into], {
      cwd: clone,
      env: { ...environment(installMachine(OLDEST_NPM)), npm_config_cache: join(dir, 'cache') },
    });
    expect(stdout).toMatch(/^11[.]\d+[.]\d+$/m);
  },
  LIMIT_MS,
);

/** What a failed start left: a Node 24, a list of packages without those of this platform, and the mark that all is there. */
function leaveIncompleteInstall(): void {
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(process.execPath, join(modules, '.bin/node'));
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, object> };
  const { [LEFT_OUT]: leftOut, ...packages } = lock.packages;
  expect(leftOut).toBeDefined();
  writeFileSync(join(modules, '.package-lock.json'), JSON.stringify({ ...lock, packages }));
  const stamp = 'cat package.json package-lock.json | cksum > node_modules/.tilld-installed';
  execFileSync('bash', ['-c', stamp], { cwd: clone });
}

/** Starts the clone as a new user does, and waits until it is ready. */
async function startClone(path: string): Promise<ChildProcess> {
  // Also the directory above: the data are made there.
  if (UNPRIVILEGED.uid !== undefined)
    execFileSync('chown', ['-R', '-h', `${UNPRIVILEGED.uid}:${UNPRIVILEGED.gid}`, dir]);
  const port = await freePort();
  const child = spawn(join(clone, 'scripts/start'), {
    env: {
      ...environment(path),
      TILLD_CONFIG: join(clone, 'till.yaml'),
      TILLD_PORT: String(port),
      TILLD_DATA_DIR: join(dir, 'data'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...UNPRIVILEGED,
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await eventually(
    'the daemon is ready',
    async () => {
      if (child.exitCode !== null) throw new Error(`it ended (${child.exitCode}): ${output}`);
      return fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status,
        () => 0,
      );
    },
    (status) => status === 200,
    LIMIT_MS,
  );
  return child;
}

// The reporter shows how long each takes: the seconds from a clone to a daemon that is ready.
describe.each(TESTED)('scripts/start of a fresh clone on a machine with Node %s', (name) => {
  it(
    'becomes ready for a user without privileges or home, in a path with a space, behind a proxy',
    async () => {
      for (const left of [modules, join(clone, '.build'), join(dir, 'data')])
        rmSync(left, { recursive: true, force: true });
      if (name === DEBIAN_12) leaveIncompleteInstall();
      const path = installMachine(name);
      const before = proxy.connections();
      const child = await startClone(path);
      expect(existsSync(join(clone, LEFT_OUT))).toBe(true);
      const version = execFileSync(join(modules, '.bin/node'), ['--version'], { encoding: 'utf8' });
      expect(version).toMatch(/^v24[.]/);
      expect(proxy.connections()).toBeGreaterThan(before);
      // Nothing of the installation stays behind.
      expect(readdirSync(join(clone, '.build')).filter((file) => file.startsWith('new-'))).toEqual([]);
      await endStart(child);
    },
    LIMIT_MS,
  );
});
