import { join } from 'node:path';
import { readStoredEpoch } from '../replica/epoch.ts';
import { isRemote, litestreamConfig } from '../replica/litestream.ts';
import {
  litestreamEnvironment,
  litestreamProgram,
  trustedAuthorities,
} from '../replica/litestream-process.ts';
import { writePrivateFile } from '../replica/private-file.ts';
import { daemonData } from './daemon-data.ts';
import { parseCall, runCommand, UsageError } from './command.ts';

const USAGE = `Replicates the database to TILLD_REPLICA_URL until it is stopped. Runs in parallel to the daemon.

  tillctl replicate [--data-dir DIR]

Runs Litestream, with the configuration that it writes to DATA_DIR/litestream.yml. Start it again whenever
it ends: it continues at its last position.`;

await runCommand(USAGE, async (args) => {
  const { values } = parseCall({ args, options: { 'data-dir': { type: 'string' } } });
  const { config, file } = await daemonData(values['data-dir']);
  if (config.replica === null)
    throw new UsageError('TILLD_REPLICA_URL is not set: it is the destination of the replica');
  const epoch = readStoredEpoch(file);
  if (epoch === null)
    throw new Error('this database has no replica yet: start the daemon with TILLD_REPLICA_URL first');
  if (epoch.state === 'restored')
    throw new Error('this database has not taken over yet: run tillctl promote first');
  const path = join(config.dataDir, 'litestream.yml');
  const job = { epoch: epoch.number, databasePath: file };
  writePrivateFile(path, litestreamConfig(config.replica, job));
  const authorities = isRemote(config.replica) ? join(config.dataDir, 'litestream-authorities.pem') : null;
  if (authorities !== null) writePrivateFile(authorities, trustedAuthorities());
  const words = ['replicate', '-no-expand-env', '-config', path];
  const program = litestreamProgram();
  if (process.execve === undefined)
    throw new Error('this version of Node cannot replace the process by another program');
  process.execve(program, [program, ...words], litestreamEnvironment(authorities));
  return 1;
});
