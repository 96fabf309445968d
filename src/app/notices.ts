import type { Config } from '../config/config.ts';
import type { SecretBox } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import type { Db } from '../store/sqlite/database.ts';
import {
  findConditions,
  type FindConditionsDeps,
  noteConditions,
  noteEvents,
  pruneNotices,
  sendNotices,
  summariseNotices,
} from '../usecases/notices/index.ts';
import { PeriodicTask } from '../workers/periodic-task.ts';

const TELL_EVERY_MS = 2_000;
const LOOK_EVERY_MS = 30_000;
const PRUNE_EVERY_MS = 3_600_000;

/** Mails notices to the people of shops, and to the operator of this server. */
export interface Notices {
  start(): void;
  stop(): Promise<void>;
}

interface NoticesDeps extends FindConditionsDeps {
  readonly config: Pick<Config, 'smtp' | 'operatorEmail' | 'http'>;
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
}

/** Without a mail server nothing is queued, because nothing could be sent. */
export function createNotices(deps: NoticesDeps): Notices {
  const { config, logger } = deps;
  const isOn = config.smtp !== null;
  const mail = { ...deps, baseUrl: config.http.baseUrl, operatorEmail: config.operatorEmail };
  const stopping = new AbortController();
  const tell = async (): Promise<void> => {
    while ((await noteEvents(deps, isOn)) && !stopping.signal.aborted);
    if (!isOn) return;
    while ((await sendNotices(mail)) > 0 && !stopping.signal.aborted);
    await summariseNotices(mail);
  };
  const look = async (): Promise<void> => noteConditions(deps, await findConditions(deps));
  const tasks = [
    new PeriodicTask('notices', TELL_EVERY_MS, logger, tell),
    ...(isOn ? [new PeriodicTask('notice-conditions', LOOK_EVERY_MS, logger, look)] : []),
    new PeriodicTask('notice-pruning', PRUNE_EVERY_MS, logger, () => pruneNotices(deps)),
  ];
  return {
    start: () => {
      for (const task of tasks) task.start();
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}
