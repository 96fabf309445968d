import type { Config } from '../config/config.ts';
import type { SecretBox } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import { monthAttachments } from '../http/books/month-attachments.ts';
import { createPdfRenderer } from '../pdf/render-pdf.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import type { Db } from '../store/sqlite/database.ts';
import type { AttentionDeps } from '../usecases/attention/index.ts';
import type { Watcher } from '../workers/chain-watcher/watcher.ts';
import {
  findConditions,
  storeConditionNotices,
  storeEventNotices,
  sendDigests,
  sendMonthEnds,
  sendNotices,
  summariseNotices,
} from '../usecases/notices/index.ts';

const TELL_EVERY_MS = 2_000;
const CHECK_INTERVAL_MS = 30_000;

interface NoticesDeps extends Omit<AttentionDeps, 'chains' | 'followedChains'> {
  readonly config: Pick<Config, 'smtp' | 'operatorEmail' | 'http'>;
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly watcher: Pick<Watcher, 'health' | 'trusted'>;
}

/**
 * Mails notices to the people of shops, and to the operator of this server. Without a mail server nothing is queued,
 * because nothing could be sent.
 */
export function createNotices(deps: NoticesDeps): Scheduler {
  const { config, logger, watcher } = deps;
  const isOn = config.smtp !== null;
  const mail = { ...deps, baseUrl: config.http.baseUrl, operatorEmail: config.operatorEmail };
  const followedChains = () => watcher.health();
  const conditions = { ...deps, ...deps.faults, chains: followedChains };
  const attention = { ...deps, chains: watcher.trusted(), followedChains };
  const renderPdf = createPdfRenderer();
  const tell = async (signal: AbortSignal): Promise<void> => {
    while ((await storeEventNotices(mail, isOn)) && !signal.aborted);
    if (!isOn) return;
    while ((await sendNotices(mail)) > 0 && !signal.aborted);
    await summariseNotices(mail);
  };
  const jobs = new Scheduler(logger).every('notices', TELL_EVERY_MS, tell);
  if (!isOn) return jobs;
  return jobs
    .every('notice-conditions', CHECK_INTERVAL_MS, async () =>
      storeConditionNotices(deps, await findConditions(conditions)),
    )
    .every('digests', CHECK_INTERVAL_MS, async () => sendDigests({ ...mail, attention }))
    .every('month-ends', CHECK_INTERVAL_MS, async () =>
      sendMonthEnds({
        ...mail,
        attachMonth: async (report, shop, language) => monthAttachments(renderPdf, report, shop, language),
      }),
    );
}
