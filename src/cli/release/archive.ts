import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { compareVersions, VERSION } from '../../domain/versions.ts';
import type { Installation } from './installation.ts';

/** As `scripts/release` signs. */
const IDENTITY = 'release';
const NAMESPACE = 'tilld-release';
const SUMS = 'SHA256SUMS';
const SIGNATURE = 'SHA256SUMS.sig';
const UNFINISHED = '.new-';

/**
 * Verifies an archive, and unpacks it next to the installed releases. It verifies a copy, which no other user can
 * change in between.
 * @param signers file of allowed signers; null: the operator has checked the origin
 * @returns its version
 * @throws if it is not what its checksums and their signature say, or is older than the current release
 */
export async function unpackArchive(
  installation: Installation,
  file: string,
  signers: string | null,
): Promise<string> {
  const releases = join(installation.root, 'releases');
  for (const name of readdirSync(releases).filter((each) => each.startsWith(UNFINISHED)))
    rmSync(join(releases, name), { recursive: true });
  const work = mkdtempSync(join(releases, UNFINISHED));
  try {
    const archive = copyInto(work, resolve(file));
    verifySignature(work, signers);
    await verifyChecksum(archive, readFileSync(join(work, SUMS), 'utf8'));
    const folder = join(work, 'release');
    execFileSync('mkdir', [folder]);
    execFileSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1', '--no-same-owner'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const version = readVersion(folder);
    assertNewer(installation, version);
    execFileSync('sync', ['-f', folder]);
    rmSync(installation.release(version), { recursive: true, force: true });
    renameSync(folder, installation.release(version));
    execFileSync('sync', [releases]);
    return version;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Copies archive, checksums and signature; the copy of the archive. */
function copyInto(work: string, file: string): string {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new Error(`${file} does not exist`);
  for (const name of [SUMS, SIGNATURE]) {
    const sibling = join(dirname(file), name);
    if (existsSync(sibling)) copyFileSync(sibling, join(work, name));
  }
  if (!existsSync(join(work, SUMS)))
    throw new Error(`${SUMS} is missing in the directory of ${file}: download it as well`);
  const archive = join(work, basename(file));
  copyFileSync(file, archive);
  return archive;
}

function verifySignature(work: string, signers: string | null): void {
  if (signers === null) return;
  if (!existsSync(signers))
    throw new Error(
      `${signers} does not exist: it has the public key of the releases (--signers FILE); --unsigned confirms that you have checked the origin`,
    );
  if (!existsSync(join(work, SIGNATURE)))
    throw new Error(`${SIGNATURE} is missing in the directory of the archive: download it as well`);
  const words = ['-Y', 'verify', '-f', signers, '-I', IDENTITY, '-n', NAMESPACE, '-s', join(work, SIGNATURE)];
  try {
    execFileSync('ssh-keygen', words, {
      input: readFileSync(join(work, SUMS)),
      stdio: ['pipe', 'ignore', 'pipe'],
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the signature of ${SUMS} is not by a key of ${signers}: ${why}`, { cause: error });
  }
}

async function verifyChecksum(archive: string, sums: string): Promise<void> {
  const name = basename(archive);
  const line = sums.split('\n').find((each) => each.slice(66) === name);
  if (line === undefined) throw new Error(`${SUMS} does not list ${name}`);
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  if (line.slice(0, 64) !== hash.digest('hex'))
    throw new Error(`${name} differs from its checksum in ${SUMS}: download it again`);
}

function readVersion(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: unknown };
  if (typeof version !== 'string' || !VERSION.test(version))
    throw new Error('the archive is not a release of tilld: its package.json states no version');
  return version;
}

function assertNewer(installation: Installation, version: string): void {
  const current = installation.current();
  const order = compareVersions(version, current);
  if (order < 0)
    throw new Error(
      `the archive is of ${version}, older than ${current}: tillctl rollback returns to the previous release`,
    );
  if (order === 0) throw new Error(`${version} is installed already`);
}
