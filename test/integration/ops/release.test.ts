import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UpdateFeed } from '../../../src/workers/update-feed/update-feed.ts';
import { eventually } from '../../_helpers/poll.ts';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { buildRelease } from '../../_helpers/release-archives.ts';
import { databaseOfRowsAlone } from '../../_helpers/rows-alone.ts';
import { isBeforeRelease } from '../../_helpers/timing/longest-first.ts';

/** Packages are downloaded and everything is built. */
const LIMIT_MS = 1_500_000;
const MAX_ARCHIVE_BYTES = 120_000_000;
const { version, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  devDependencies: Record<string, string>;
};
const NOTES_URL = 'https://tilld.example/releases/next';
const NAME = `tilld-${version}-${process.platform}-${process.arch}`;

const dir = mkdtempSync('/var/tmp/tilld release-');
const into = join(dir, 'release');
const installed = join(dir, 'empty folder');
const program = join(installed, NAME);
const children: ChildProcess[] = [];
/** As a service has it: no Node, no npm, no home. */
const environment = {
  PATH: '/usr/bin:/bin',
  TILLD_CONFIG: resolve('test/_helpers/till.yaml'),
  TILLD_DATA_DIR: join(dir, 'data'),
};

beforeAll(async () => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'release', '-f', join(dir, 'key')]);
  const options = ['--allow-changes', '--security', '--notes-url', NOTES_URL];
  await buildRelease(resolve('.'), { into, key: join(dir, 'key'), options });
  mkdirSync(installed);
  execFileSync('tar', ['-xzf', join(into, `${NAME}.tar.gz`), '-C', installed]);
}, LIMIT_MS);
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null) continue;
    child.kill('SIGTERM');
    await new Promise((done) => child.once('exit', done));
  }
  rmSync(dir, { recursive: true, force: true });
});

describe('the files of a release', () => {
  it('include checksums that match, and a valid signature of the checksums', () => {
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: into });
    const sums = readFileSync(join(into, 'SHA256SUMS'), 'utf8');
    for (const name of [`${NAME}.tar.gz`, 'sbom.cdx.json', 'RELEASE_NOTES.md']) expect(sums).toContain(name);
    const signers = join(dir, 'signers');
    writeFileSync(signers, `release ${readFileSync(join(dir, 'key.pub'), 'utf8')}`);
    const verify = (text: string) =>
      execFileSync(
        'ssh-keygen',
        ['-Y', 'verify', '-f', signers, '-I', 'release', '-n', 'tilld-release', '-s', 'SHA256SUMS.sig'],
        { cwd: into, input: text, encoding: 'utf8', stdio: 'pipe' },
      );
    expect(verify(sums)).toContain('Good "tilld-release" signature');
    expect(() => verify(sums.replace(/^./, 'x'))).toThrow();
  });

  it('include an update feed that a daemon accepts with the key of the release', async () => {
    const signersFile = join(dir, 'feed-signers');
    writeFileSync(signersFile, `release ${readFileSync(join(dir, 'key.pub'), 'utf8')}`);
    const db = await databaseOfRowsAlone();
    const feed = await UpdateFeed.open({
      db,
      clock: { now: () => Date.now() },
      logger: pino({ level: 'silent' }),
      egress: { allowPrivate: false, resolve: async () => [] },
      version: '0.0.1',
      feed: join(into, 'tilld-feed.json'),
      signersFile,
    });
    await feed.check();
    expect(feed.warnings()).toEqual([]);
    expect(feed.available()).toMatchObject({ version, security: true, notesUrl: NOTES_URL });
    await db.close();
  });

  it('include an SBOM with the packages of the archive and its Node, without build dependencies', () => {
    const { bomFormat, components } = JSON.parse(readFileSync(join(into, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { name: string; version: string }[];
    };
    expect(bomFormat).toBe('CycloneDX');
    const names = components.map(({ name }) => name);
    const modules = join(program, 'node_modules');
    const shipped = readdirSync(modules).flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((own) => `${name}/${own}`) : [name],
    );
    const visible = shipped.filter((name) => !name.startsWith('.'));
    expect(visible.length).toBeGreaterThan(30);
    expect(visible.filter((name) => !names.includes(name))).toEqual([]);
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { dev?: boolean }>;
    };
    const ofBuild = visible.filter((name) => packages[`node_modules/${name}`]?.dev === true);
    expect(ofBuild).toEqual(['node']);
    expect(visible).not.toContain('typescript');
    expect(components.find(({ name }) => name === 'node')?.version).toBe(devDependencies['node']);
    for (const name of ['react', 'express', 'better-sqlite3']) expect(names).toContain(name);
    for (const name of ['vitest', 'oxlint', '@typescript/native']) expect(names).not.toContain(name);
  });

  it('include one archive of the daemon, of at most 120 MB and of the size that docs/production.md states', () => {
    const { size } = statSync(join(into, `${NAME}.tar.gz`));
    expect(size).toBeLessThan(MAX_ARCHIVE_BYTES);
    const text = readFileSync(join(program, 'docs/production.md'), 'utf8');
    const [, packed, unpacked] = /archive of a release \((\d+) MB, (\d+) MB unpacked\)/.exec(text) ?? [];
    expect(Math.abs(size / 1e6 / Number(packed) - 1)).toBeLessThan(0.1);
    const kilobytes = Number.parseInt(execFileSync('du', ['-sk', program], { encoding: 'utf8' }), 10);
    expect(Math.abs(kilobytes / 1e3 / Number(unpacked) - 1)).toBeLessThan(0.1);
  });

  it('include a README whose files are all in the archive, and documents that name only scripts of the archive', () => {
    const text = readFileSync(join(program, 'README.md'), 'utf8');
    const paths = [...text.matchAll(/\]\(([\w./-]+)\)|\b((?:bin|scripts)\/[\w-]+|install\.sh)/g)].map(
      ([, link, path]) => link ?? path ?? '',
    );
    expect(paths.length).toBeGreaterThan(3);
    expect(paths.filter((path) => !existsSync(join(program, path)))).toEqual([]);
    for (const page of ['production', 'operations', 'backup']) {
      const named = readFileSync(join(program, `docs/${page}.md`), 'utf8').matchAll(/\bscripts\/[\w-]+/g);
      expect([...named].map(([path]) => path).filter((path) => !existsSync(join(program, path)))).toEqual([]);
    }
  });

  it('include an archive of the source, from which Docker builds', () => {
    const options = { encoding: 'utf8', maxBuffer: 64_000_000 } as const;
    const list = execFileSync('tar', ['-tzf', join(into, `tilld-${version}-source.tar.gz`)], options);
    for (const path of ['Dockerfile', 'docker-compose.yml', 'docker/mainnet.env.example', 'src/main.ts'])
      expect(list).toContain(`tilld-${version}/${path}\n`);
    expect(list).not.toContain('node_modules/');
  });

  it('include the release notes of the version', () => {
    const notes = readFileSync(join(into, 'RELEASE_NOTES.md'), 'utf8');
    expect(notes).toMatch(new RegExp(`^# tilld ${version.replaceAll('.', '[.]')}\n`));
    expect(notes.length).toBeGreaterThan(200);
  });
});

it('the release archive contains the npm packages that the build imports by name at run time', () => {
  const names = ['argon2', 'better-sqlite3', 'secp256k1/bindings.js', '@solana/web3.js'];
  const load = `for (const name of ${JSON.stringify(names)}) await import(name); console.log('loaded');`;
  const node = join(program, 'node_modules/.bin/node');
  const options = { cwd: program, env: environment, encoding: 'utf8' } as const;
  expect(execFileSync(node, ['--input-type=module', '-e', load], options)).toBe('loaded\n');
});

it(
  'the daemon of the release archive starts in a folder with a space, without Node or npm on the machine, and stops',
  async () => {
    const port = await freePort();
    const child = spawn(join(program, 'bin/tilld'), {
      cwd: dir,
      env: { ...environment, TILLD_PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const answer = await eventually(
      'the daemon answers',
      async () => {
        if (child.exitCode !== null) throw new Error(`it ended (${child.exitCode}): ${output}`);
        return fetch(`http://127.0.0.1:${port}/healthz`).then(
          async (response) => response.json() as Promise<{ data: object }>,
          () => null,
        );
      },
      (body) => body !== null,
      LIMIT_MS,
    );
    expect(answer?.data).toEqual({ status: 'ok', version });
    expect(output).toContain(`"version":"${version}"`);
    const page = await (await fetch(`http://127.0.0.1:${port}/dashboard`)).text();
    for (const [, path] of page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g))
      expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200);
    const exited = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    // Its commands run as they are, too, and write nothing into the program.
    const checked = execFileSync(join(program, 'scripts/check'), { env: environment, encoding: 'utf8' });
    expect(checked).toMatch(/tilld[.]sqlite is sound/);
    expect(readdirSync(program)).not.toContain('.build');
  },
  LIMIT_MS,
);

it.skipIf(process.getuid?.() !== 0).each(isBeforeRelease ? ['bookworm', 'trixie'] : ['trixie'])(
  'install.sh of the release archive installs, runs and removes the daemon on a fresh Debian %s, and a second run changes nothing',
  async (suite) => {
    const { stdout } = await promisify(execFile)('scripts/install-check', [
      join(into, `${NAME}.tar.gz`),
      suite,
    ]);
    expect(stdout).toMatch(/^ok: a second run changes nothing$/m);
    expect(stdout).toMatch(/^ok: the daemon starts as its unit says/m);
    expect(stdout).toContain(`Debian ${suite}: installed, run and removed\n`);
  },
  LIMIT_MS,
);
