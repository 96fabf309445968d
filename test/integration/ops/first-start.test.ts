import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
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
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';

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
/** What Debian 12 has: Node 18 and npm 9. */
const OLD_NODE = [`node-${process.platform}-${process.arch}@18.20.8`, 'npm@9.2.0'];
/** Left out by npm 9 under Node 18, without which nothing is built. */
const LEFT_OUT = `node_modules/@rolldown/binding-${process.platform}-${process.arch}-gnu`;

/** On the disk: with its packages it is too large for a temporary file system in memory. */
const dir = mkdtempSync('/var/tmp/till first start-');
const clone = join(dir, 'a clone');
const machine = join(dir, 'bin');
const children: ChildProcess[] = [];

/** Without a home; certificates and the cache of the registry stay those of this machine. */
function environment(path: string): Record<string, string> {
  const cache = `${process.env['HOME'] ?? ''}/.npm`;
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  return {
    PATH: path,
    ...(certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
    ...(existsSync(cache) ? { npm_config_cache: cache } : {}),
  };
}

beforeAll(() => {
  const settings = readdirSync('.').filter((name) =>
    /^(tsconfig.*[.]json|(rolldown|vite)[.]config[.]ts)$/.test(name),
  );
  for (const name of [...FILES, ...settings]) cpSync(name, join(clone, name), { recursive: true });
  rmSync(join(clone, 'packages/sdk/node_modules'), { recursive: true, force: true });
  mkdirSync(machine);
  const old = join(dir, 'old');
  mkdirSync(old);
  writeFileSync(join(old, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', '--no-save', '--ignore-scripts', '--loglevel=error', ...OLD_NODE], {
    cwd: old,
  });
  symlinkSync(
    join(old, `node_modules/node-${process.platform}-${process.arch}/bin/node`),
    join(machine, 'node'),
  );
  symlinkSync(join(old, 'node_modules/npm/bin/npm-cli.js'), join(machine, 'npm'));
}, LIMIT_MS);
afterAll(async () => {
  for (const child of children) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await new Promise((done) => child.once('exit', done));
  }
  rmSync(dir, { recursive: true, force: true });
});

it('scripts/start names what to install when npm is missing', () => {
  const tools = join(dir, 'tools');
  mkdirSync(tools);
  for (const name of ['bash', 'cat', 'cksum', 'dirname', 'env', 'flock'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(tools, name));
  const run = () =>
    execFileSync(join(clone, 'scripts/start'), { env: environment(tools), encoding: 'utf8', stdio: 'pipe' });
  expect(run).toThrow(/npm is missing. Install Node.js with npm, version 14 or later/);
});

it(
  'scripts/start works where npm runs on Node 18, after an incomplete install, without a home directory',
  async () => {
    // What the failed try left: a Node 24, a list of packages without those of this platform, and the mark that all is there.
    const modules = join(clone, 'node_modules');
    mkdirSync(join(modules, '.bin'), { recursive: true });
    symlinkSync(process.execPath, join(modules, '.bin/node'));
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, object>;
    };
    const { [LEFT_OUT]: leftOut, ...packages } = lock.packages;
    expect(leftOut).toBeDefined();
    writeFileSync(join(modules, '.package-lock.json'), JSON.stringify({ ...lock, packages }));
    const stamp = 'cat package.json package-lock.json | cksum > node_modules/.tilld-installed';
    execFileSync('bash', ['-c', stamp], { cwd: clone });
    const port = await freePort();
    const child = spawn(join(clone, 'scripts/start'), {
      env: {
        ...environment(`${machine}:/usr/bin:/bin`),
        TILLD_CONFIG: resolve('test/_helpers/till.yaml'),
        TILLD_PORT: String(port),
        TILLD_DATA_DIR: join(dir, 'data'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually(
      'the daemon answers',
      async () => {
        if (child.exitCode !== null) throw new Error(`it ended (${child.exitCode}): ${output}`);
        return fetch(`http://127.0.0.1:${port}/healthz`).then(
          ({ status }) => status,
          () => 0,
        );
      },
      (status) => status === 200,
      LIMIT_MS,
    );
    expect(existsSync(join(clone, LEFT_OUT))).toBe(true);
    const version = execFileSync(join(modules, '.bin/node'), ['--version'], { encoding: 'utf8' });
    expect(version).toMatch(/^v24[.]/);
    // Nothing of the installation stays behind.
    expect(readdirSync(join(clone, '.build')).filter((name) => name.startsWith('new-'))).toEqual([]);
  },
  LIMIT_MS,
);
