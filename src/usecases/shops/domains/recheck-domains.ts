import { leaseDueDomainChecks } from '../../../store/merchants/domain-checks.ts';
import { findMerchant } from '../../../store/merchants/merchants.ts';
import type { DomainCheckRow } from '../../../store/schema/merchants.ts';
import type { CheckDomainDeps } from './check-domain.ts';
import { readDomainProof } from './read-domain-proof.ts';
import { recordCheck } from './record-check.ts';

/** Checks per run; the next run continues with the rest. */
const BATCH = 100;
/** A claimed check that was never recorded (crash, shutdown) is retried after this. */
const TAKEN_FOR_MS = 10 * 60_000;

/**
 * Checks every due domain, a bounded number at a time: verified ones daily, others often at first and daily
 * later (see judgeCheck). A failure does not block the others. Returns how many were checked.
 */
export async function recheckDomains(deps: CheckDomainDeps, signal?: AbortSignal): Promise<number> {
  const now = deps.clock.now();
  const due = await deps.db.transaction((tx) =>
    leaseDueDomainChecks(tx, { now, until: now + TAKEN_FOR_MS, limit: BATCH }),
  );
  await Promise.all(due.map((row) => recheck(deps, row, signal)));
  return due.length;
}

async function recheck(deps: CheckDomainDeps, check: DomainCheckRow, signal?: AbortSignal): Promise<void> {
  const { merchantId } = check;
  try {
    const merchant = await findMerchant(deps.db, merchantId);
    if (merchant === undefined) throw new Error(`merchant ${merchantId} of a domain check is missing`);
    const startedAt = deps.clock.now();
    const outcome = await readDomainProof(deps.checker, merchant, check);
    await recordCheck(deps, { row: check, startedAt, outcome });
  } catch (error) {
    if (signal?.aborted === true) return;
    deps.logger.error({ err: error, merchantId }, 'domain verification check failed; will retry later');
  }
}
