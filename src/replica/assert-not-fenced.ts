import type { Epoch } from './epoch.ts';
import {
  isRemote,
  LONG_READ_TIMEOUT_MS,
  readGenerations,
  type Generations,
  type ReplicaTarget,
} from './litestream.ts';
import { litestreamEnvironment, ReplicaError, ReplicaUnknownError } from './litestream-process.ts';

const WORD = 'If the other machine is off for good, say so by TILLD_OTHER_MACHINE_OFF=on for one start';

const KEYS_MISSING =
  'the replica in S3 cannot be read without its keys: set LITESTREAM_ACCESS_KEY_ID and LITESTREAM_SECRET_ACCESS_KEY ' +
  'in the environment of the daemon and of scripts/replicate';

/**
 * Refuses to start if another machine may run, because two daemons with one seed issue the same address to
 * two customers and sign the same coins twice. Absence proves nothing: if the replica cannot be read, or does
 * not contain this machine's data, the operator must confirm.
 * @throws {ReplicaError} with the remedy.
 */
export async function assertNotFenced(
  target: ReplicaTarget | null,
  epoch: Epoch | null,
  isOtherMachineOff: boolean,
): Promise<void> {
  if (epoch?.state === 'restored') {
    throw new ReplicaError('this database is a copy that has not taken over yet: run tillctl promote first');
  }
  if (target === null) return;
  const next = epoch === null ? 1 : epoch.number + 1;
  // Both concurrently, because the answer about a later epoch must be recent when the daemon serves.
  const isOwnDue = epoch?.state === 'shown' && !isOtherMachineOff;
  const [later, own] = await Promise.all([
    readEpochGenerations(target, next),
    isOwnDue ? readEpochGenerations(target, epoch.number) : null,
  ]);
  if (!(later instanceof ReplicaError) && later.count > 0) {
    throw new ReplicaError(
      epoch === null
        ? 'TILLD_REPLICA_URL holds the replica of another database: name an empty place, or restore from it (tillctl restore --from-replica)'
        : `another machine has taken over (epoch ${next}, this one has ${epoch.number}): this one neither writes nor signs any more. Keep it off; to use it again, restore from the replica into a new data directory`,
    );
  }
  if (isOtherMachineOff) return;
  if (later instanceof ReplicaError && lacksKeys(target)) throw new ReplicaUnknownError(KEYS_MISSING);
  if (later instanceof ReplicaError)
    throw new ReplicaUnknownError(
      `the replica cannot be read (${later.message}): another machine may have taken over. ${WORD}`,
    );
  if (epoch === null || own === null) return;
  if (own instanceof ReplicaError || own.count === 0)
    throw new ReplicaUnknownError(
      `the replica lacks the data that this machine wrote to it (epoch ${epoch.number}): another machine may have taken over. ${WORD}`,
    );
}

/** Machines of Amazon can have a role instead of keys: only a failed read shows that the keys are missing. */
function lacksKeys(target: ReplicaTarget): boolean {
  if (!isRemote(target)) return false;
  const env = litestreamEnvironment(null);
  const has = (name: string): boolean =>
    ['LITESTREAM_', 'AWS_'].some((prefix) => (env[prefix + name] ?? '') !== '');
  return !has('ACCESS_KEY_ID') || !has('SECRET_ACCESS_KEY');
}

/** An error means unknown, with its reason. */
async function readEpochGenerations(
  target: ReplicaTarget,
  epoch: number,
): Promise<Generations | ReplicaError> {
  return readGenerations(target, epoch).catch((error: unknown) => {
    if (error instanceof ReplicaError) return error;
    throw error;
  });
}

/** Epochs checked concurrently; as many missing folders end the search. */
const BATCH = 5;

/** The highest epoch of the replica; 0 if it has none. @throws {ReplicaError} if it cannot be read */
export async function highestEpoch(target: ReplicaTarget): Promise<number> {
  let highest = 0;
  for (let first = 1; first <= highest + 1; first += BATCH) {
    const epochs = Array.from({ length: BATCH }, (_, at) => first + at);
    const found = await Promise.all(
      epochs.map(async (epoch) => readGenerations(target, epoch, LONG_READ_TIMEOUT_MS)),
    );
    highest = Math.max(highest, ...epochs.filter((_, at) => (found[at]?.count ?? 0) > 0));
  }
  return highest;
}
