import { judgeCheck, type CheckOutcome } from '../../../domain/domain-verification.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { findDomainCheck, saveDomainCheck } from '../../../store/merchants/domain-checks.ts';
import { findMerchant, updateMerchant } from '../../../store/merchants/merchants.ts';
import type { DomainCheckRow, MerchantRow } from '../../../store/schema/merchants.ts';
import { emitEvent } from '../../events/index.ts';
import { toDomainRow, toDomainState } from './domain-state.ts';

export interface RecordCheckDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after the commit of an event. */
  readonly wakeWebhooks: () => void;
  /** Returns 0 up to 1; Math.random except in tests. */
  readonly random?: () => number;
}

export interface DomainCheckRecord {
  /** The method of the check, as it was when the check began. */
  readonly row: DomainCheckRow;
  readonly startedAt: number;
  readonly outcome: CheckOutcome;
}

export interface DomainStatus {
  readonly merchant: MerchantRow;
  readonly check: DomainCheckRow;
}

/**
 * Stores the result of a check, and its event when the domain's verification changes, in one transaction. An
 * outdated check (another method was chosen, a proof was found since) changes nothing.
 */
export async function recordCheck(deps: RecordCheckDeps, record: DomainCheckRecord): Promise<DomainStatus> {
  const { status, event } = await deps.db.transaction((tx) => decide(tx, deps, record));
  if (event !== null) {
    const { id: merchantId, domain } = status.merchant;
    deps.logger.info({ merchantId, domain, event }, 'verification status of a shop domain changed');
    deps.wakeWebhooks();
  }
  return status;
}

async function decide(
  tx: Tx,
  deps: RecordCheckDeps,
  record: DomainCheckRecord,
): Promise<{ status: DomainStatus; event: string | null }> {
  const { merchantId } = record.row;
  const merchant = await findMerchant(tx, merchantId);
  const check = await findDomainCheck(tx, merchantId);
  if (merchant === undefined || check === undefined)
    throw new Error(`merchant ${merchantId} of a domain check is missing`);
  if (isOvertaken(check, record)) return { status: { merchant, check }, event: null };
  const now = deps.clock.now();
  const random = (deps.random ?? Math.random)();
  const { state, event } = judgeCheck(toDomainState(merchant, check), record.outcome, { now, random });
  const next = toDomainRow(merchantId, check.method, state);
  await saveDomainCheck(tx, next);
  if (event === null) return { status: { merchant, check: next }, event };
  const changed = await updateMerchant(tx, merchantId, {
    domainVerifiedAt: state.verifiedAt,
    updatedAt: now,
  });
  const status = { merchant: changed, check: next };
  await emitEvent(tx, deps, {
    merchant: { id: merchantId, webhookUrl: merchant.webhookUrl },
    type: event,
    mode: merchant.sandbox ? 'sandbox' : 'live',
    paymentId: null,
    sendId: null,
    sequence: 0,
    data: eventData(status),
    paymentWebhookUrl: null,
  });
  return { status, event };
}

function isOvertaken(current: DomainCheckRow, { row, startedAt, outcome }: DomainCheckRecord): boolean {
  if (current.method !== row.method || current.chosenAt !== row.chosenAt) return true;
  const provenSince = current.checkedAt !== null && current.lastError === null;
  return outcome.kind !== 'proven' && provenSince && (current.checkedAt ?? 0) > startedAt;
}

function eventData({ merchant, check }: DomainStatus): object {
  const verifiedAt = merchant.domainVerifiedAt;
  return {
    domain: {
      name: merchant.domain,
      isVerified: verifiedAt !== null,
      method: check.provenMethod ?? check.method,
      verifiedAt: verifiedAt === null ? null : new Date(verifiedAt).toISOString(),
      lastError: check.lastError,
    },
    merchant: { id: merchant.id, name: merchant.name },
  };
}
