import { setTimeout as pause } from 'node:timers/promises';
import { writeEpoch } from '../replica/epoch.ts';
import { lockDataDir } from '../store/sqlite/data-dir.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { beginEpoch, takeOver } from '../replica/take-over.ts';
import { daemonData } from './daemon-data.ts';
import { parseCall, runCommand, printLine, UsageError, warn } from './command.ts';

const USAGE = `Takes over with a data directory that tillctl restore has filled: the machine that wrote the replica
until now stops writing and signing as soon as it reads the replica.

  tillctl promote [--other-machine-off] [--data-dir DIR]

Begins a new epoch in TILLD_REPLICA_URL and waits until the other machine must have seen it.
--other-machine-off: confirms that it is off for good; does not wait. Required without
TILLD_REPLICA_URL.`;

await runCommand(USAGE, async (args) => {
  const { values } = parseCall({
    args,
    options: { 'data-dir': { type: 'string' }, 'other-machine-off': { type: 'boolean', default: false } },
  });
  const { config, file } = await daemonData(values['data-dir']);
  const isOtherOff = values['other-machine-off'];
  if (config.replica === null && !isOtherOff)
    throw new UsageError('TILLD_REPLICA_URL is not set: without a replica, --other-machine-off is required');
  const lock = lockDataDir(config.dataDir);
  try {
    const database = await openDatabase(file, { leavesCheckpoints: true });
    try {
      if (config.replica === null) {
        await beginEpoch(database.db);
        printLine('This machine has taken over. Start the daemon.');
        return 0;
      }
      const { epoch, waitMs } = await takeOver(database.db, config.replica);
      if (!isOtherOff) {
        warn(
          `Waiting ${waitMs / 1000} s: by then the other machine has stopped, if it runs and reaches the replica.`,
        );
        await pause(waitMs);
      }
      await writeEpoch(database.db, epoch);
      printLine(`This machine has taken over (epoch ${epoch.number}). Start the daemon and tillctl replicate.
Its new payments are in the replica as soon as /readyz shows its lagSeconds, after the first snapshot.`);
      return 0;
    } finally {
      await database.close();
    }
  } finally {
    lock.release();
  }
});
