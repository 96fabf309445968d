import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const SHOPS = join(ROOT, 'test/shops');
/** Outside the repository, whose packages a shop must not resolve. */
const FRESH = join(homedir(), '.cache/tilld-shops');
/** npm may look the platform up. What is ours is in the archive: where npm would ask for it, nothing answers. */
const NPMRC =
  'prefer-offline=true\naudit=false\nfund=false\nfetch-retries=0\n@tilld:registry=http://127.0.0.1:9/\n';

/** In the folder of an installed plugin: what it was built from. */
const BUILT_FROM = '.built-from';

/** Installs the platform of a shop, and in it the shop's plugin from its built archive, unless it is there already. */
export async function installShop(shop: 'vendure' | 'medusa', plugin: string): Promise<void> {
  const target = join(SHOPS, shop, 'node_modules', plugin);
  const mark = join(target, BUILT_FROM);
  const sources = fingerprint(shop);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === sources) return;
  const directory = mkdtempSync(join(cacheFolder(), 'archives-'));
  try {
    const { stdout } = await run(join(ROOT, 'scripts/build-packages'), ['--into', directory, shop]);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    await run('tar', ['-xzf', stdout.trim(), '-C', target, '--strip-components=1']);
    writeFileSync(mark, sources);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Of the files that the archive of a plugin is built from. */
function fingerprint(shop: string): string {
  const lists = [`packages/${shop}`, 'packages/sdk'].flatMap((name) => listSources(join(ROOT, name)));
  const hash = createHash('sha256');
  for (const file of [...lists, join(SHOPS, shop, 'package-lock.json'), join(ROOT, 'scripts/build-packages')])
    hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

/** The files in the directory of a package and in its src. */
function listSources(directory: string): string[] {
  const top = readdirSync(directory, { withFileTypes: true });
  const sources = readdirSync(join(directory, 'src'), { recursive: true, withFileTypes: true });
  const files = [...top, ...sources].filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
}

/** A shop of its own in a new folder, with its platform and whatever the README of our package installs. */
export interface FreshShop extends Disposable {
  readonly directory: string;
}

/** Runs the commands of the README in a new folder that has the platform and nothing of ours. */
export async function installAsReadmeSays(shop: 'vendure' | 'medusa'): Promise<FreshShop> {
  await run(join(SHOPS, 'install'), [shop]);
  const directory = mkdtempSync(join(cacheFolder(), `${shop}-`));
  const fresh = {
    directory,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
  try {
    await copyPlatform(shop, directory);
    const [build, install] = readmeCommands(shop);
    await run('bash', ['-c', build], { cwd: ROOT });
    const command = install.replaceAll('/path/to/tilld', ROOT);
    writeFileSync(join(directory, '.npmrc'), NPMRC);
    await run('bash', ['-c', command], { cwd: directory });
    return fresh;
  } catch (error) {
    fresh[Symbol.dispose]();
    throw error;
  }
}

/** As npm installed it from its lockfile, by hard links. npm rewrites its own list; the original must stay. */
async function copyPlatform(shop: string, directory: string): Promise<void> {
  const source = join(SHOPS, shop);
  const target = join(directory, 'node_modules');
  await run('cp', ['-al', join(source, 'node_modules'), target]);
  rmSync(join(target, '@tilld'), { recursive: true, force: true });
  for (const name of ['node_modules/.package-lock.json', 'package.json', 'package-lock.json']) {
    rmSync(join(directory, name), { force: true });
    copyFileSync(join(source, name), join(directory, name));
  }
  if (shop !== 'medusa') return;
  // Its configuration is CommonJS.
  const described = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as object;
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ ...described, type: 'commonjs' }));
}

/** The first block of shell commands in the README: one for the clone of tilld, one for the shop. */
function readmeCommands(shop: string): [build: string, install: string] {
  const readme = readFileSync(join(ROOT, 'packages', shop, 'README.md'), 'utf8');
  const [, block = ''] = /```sh\n(.*?)```/s.exec(readme) ?? [];
  const [build, install, ...others] = block
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (build === undefined || install === undefined || others.length > 0)
    throw new Error(`the README of ${shop} has other commands than expected: ${block}`);
  return [build, install];
}

function cacheFolder(): string {
  mkdirSync(FRESH, { recursive: true });
  return FRESH;
}
