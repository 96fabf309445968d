import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');

/** Installs the platform of a shop, and in it the SDK and the shop's plugin as npm would bring them. */
export async function installShop(shop: string, plugin: string): Promise<void> {
  await run(join(ROOT, 'test/shops/install'), [shop]);
  // The plugin is built against the types of the SDK that is installed.
  await installPacked(shop, 'sdk', '@tilld/sdk');
  await installPacked(shop, shop, plugin);
}

async function installPacked(shop: string, folder: string, name: string): Promise<void> {
  const target = join(ROOT, 'test/shops', shop, 'node_modules', name);
  const directory = mkdtempSync(join(tmpdir(), 'packed-'));
  try {
    await run('npm', ['pack', '--pack-destination', directory], { cwd: join(ROOT, 'packages', folder) });
    const [archive = ''] = readdirSync(directory);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    await run('tar', ['-xzf', join(directory, archive), '-C', target, '--strip-components=1']);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
