import type { Config } from '../config/config.ts';
import type { SecretBox } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import type { Db } from '../store/sqlite/database.ts';
import {
  findConditions,
  type FindConditionsDeps,
  storeConditionNotices,
  storeEventNotices,
  sendNotices,
  summariseNotices,
} from '../usecases/notices/index.ts';

const TELL_EVERY_MS = 2_000;
const CHECK_INTERVAL_MS = 30_000;

interface NoticesDeps extends FindConditionsDeps {
  readonly config: Pick<Config, 'smtp' | 'operatorEmail' | 'http'>;
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
}

/**
 * Mails notices to the people of shops, and to the operator of this server. Without a mail server nothing is queued,
 * because nothing could be sent.
 */
export function createNotices(deps: NoticesDeps): Scheduler {
  const { config, logger } = deps;
  const isOn = config.smtp !== null;
  const mail = { ...deps, baseUrl: config.http.baseUrl, operatorEmail: config.operatorEmail };
  const tell = async (signal: AbortSignal): Promise<void> => {
    while ((await storeEventNotices(deps, isOn)) && !signal.aborted);
    if (!isOn) return;
    while ((await sendNotices(mail)) > 0 && !signal.aborted);
    await summariseNotices(mail);
  };
  const jobs = new Scheduler(logger).every('notices', TELL_EVERY_MS, tell);
  if (!isOn) return jobs;
  return jobs.every('notice-conditions', CHECK_INTERVAL_MS, async () =>
    storeConditionNotices(deps, await findConditions(deps)),
  );
}
