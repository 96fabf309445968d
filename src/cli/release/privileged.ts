import { accessSync, constants } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load-config.ts';
import { packageRoot } from '../../config/package-root.ts';
import { holdExclusiveLock } from '../../store/sqlite/files.ts';
import { parseCount, UsageError } from '../command.ts';
import { readService, serviceUnit } from '../service.ts';
import { Installation } from './installation.ts';

const MAX_WAIT_S = 86_400;

/** The installation, the configuration of the service, and a lock against a second update; run by its owner. */
export async function withInstallation(
  wait: string,
  work: (context: { installation: Installation; config: Config; waitMs: number }) => Promise<void>,
): Promise<number> {
  const waitMs = parseCount('wait', wait, 1, MAX_WAIT_S) * 1_000;
  const installation = Installation.find();
  try {
    accessSync(installation.root, constants.W_OK);
  } catch (error) {
    throw new UsageError(`${installation.root} cannot be written: run this as root`, { cause: error });
  }
  // Releases must be readable for the user of the service, whatever the umask of root is.
  process.umask(0o022);
  const unit = serviceUnit();
  const env = { ...process.env, ...(unit === null ? {} : readService(unit).env) };
  const config = loadConfig({ env, cwd: packageRoot() });
  const lock = holdExclusiveLock(`${installation.root}/update.lock`);
  if (lock === null) throw new Error('another update or rollback is running');
  try {
    await work({ installation, config, waitMs });
    return 0;
  } finally {
    lock.release();
  }
}
