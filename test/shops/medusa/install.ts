import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');

/** Installs Medusa, and in it the SDK and the plugin as npm would bring them. */
export async function installMedusa(): Promise<void> {
  await run(join(ROOT, 'test/shops/install'), ['medusa']);
  // The plugin is built against the types of the SDK that is installed.
  await installPacked('sdk', '@tilld/sdk');
  await installPacked('medusa', '@tilld/medusa-payment');
}

async function installPacked(folder: string, name: string): Promise<void> {
  const target = join(import.meta.dirname, 'node_modules', name);
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
