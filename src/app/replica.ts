import type { Config } from '../config/config.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import { ReplicaWatch } from '../replica/watch.ts';
import type { Db } from '../store/sqlite/database.ts';

/** Exit code, as for a start after another machine's takeover. */
const EXIT_TAKEN_OVER = 2;

/**
 * Watches the replica if one is configured; a takeover by another machine ends this process at once, as `kill
 * -9` would.
 */
export async function openReplicaWatch(deps: {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onTakenOver: (() => void) | undefined;
}): Promise<ReplicaWatch | null> {
  const { config, db, clock, logger, onTakenOver = () => process.exit(EXIT_TAKEN_OVER) } = deps;
  if (config.replica === null) return null;
  return ReplicaWatch.open({
    db,
    target: config.replica,
    maxLagMs: config.replica.maxLagMs,
    clock,
    logger,
    onTakenOver: (epoch) => {
      logger.error(
        { epoch },
        'another machine has taken over from this daemon; this one stops, and neither writes nor signs',
      );
      onTakenOver();
    },
  });
}
