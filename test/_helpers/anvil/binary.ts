/** Where anvil is: its npm package brings one binary per platform. */
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

function findAnvil(): string | null {
  const name = `@foundry-rs/anvil-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
    const binary = join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'anvil');
    accessSync(binary, constants.X_OK);
    return binary;
  } catch {
    return null;
  }
}

export function anvilBinary(): string {
  const binary = findAnvil();
  if (binary === null) throw new Error('anvil is not installed: run `npm ci`');
  return binary;
}

let isAnnounced = false;

/**
 * Whether tests against a real Ethereum node can run. In CI a missing one is a failure; elsewhere
 * one loud line says what to install.
 */
export function requireAnvil(): boolean {
  if (findAnvil() !== null) return true;
  const message = 'anvil has no binary for this platform, or optional packages were left out: run `npm ci`';
  if (process.env.CI === 'true') throw new Error(message);
  if (!isAnnounced) process.stderr.write(`\n*** SKIPPING every ETH node test: ${message} ***\n`);
  isAnnounced = true;
  return false;
}
