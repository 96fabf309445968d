import { type ForwardFacts, type ForwardRule, keptFor } from '../../domain/send/forward.ts';
import { findPayment } from '../../store/payments/payments.ts';
import { listLinksWithoutSend, type StoredRefundLink } from '../../store/payments/refund-links.ts';
import { listApprovals } from '../../store/sends/send-approvals.ts';
import { findSend } from '../../store/sends/sends.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { loadPayment } from '../payments/index.ts';
import { claimOptions } from '../refunds/index.ts';
import { confirmedBalance } from '../wallet/index.ts';
import type { ForwardDeps } from './forward-deps.ts';

type FactsDeps = Pick<ForwardDeps, 'rates' | 'confirmations' | 'policy'>;

/** The most approvals that wait at a time. */
const PENDING_MAX = 200;

/** The money of a rule's wallet and its previous forward, without what is promised. */
export async function readFunds(
  db: Db,
  { chains }: Pick<ForwardDeps, 'chains'>,
  rule: ForwardRule,
): Promise<Omit<ForwardFacts, 'promised'>> {
  const { coin, mode, merchantId, lastSendId } = rule;
  const last = lastSendId === null ? undefined : await findSend(db, lastSendId);
  const { amount, reach } = await confirmedBalance(db, { coin, mode, merchantId });
  const isInFlight = last !== undefined && last.status !== 'confirmed' && last.status !== 'failed';
  const adapter = chains.get(coin, mode);
  const leastLeft = adapter?.wholeAccounts === undefined ? 0n : adapter.minimumPayment;
  return { spendable: amount, reach, leastLeft, isInFlight };
}

/**
 * The atoms of the coin that may still leave by a promise: by open refund links, at most what each could take now; by
 * claims without a send; and by sends that wait for an approval. Money that could leave in one of several coins counts
 * in each of them.
 * @throws {AppError} RATE_UNAVAILABLE while the amount of a link is unknown
 */
export async function sumPromised(
  db: Db,
  deps: FactsDeps,
  { merchantId, mode, coin }: Pick<ForwardRule, 'merchantId' | 'mode' | 'coin'>,
): Promise<bigint> {
  let sum = 0n;
  for (const link of await listLinksWithoutSend(db, { merchantId, mode })) {
    const amount = await linkAtoms(db, deps, link, coin);
    sum += keptFor({ amount, paysFee: !link.deductFee }, deps.policy);
  }
  const held = await listApprovals(db, { merchantId, mode, isPending: true, limit: PENDING_MAX });
  for (const { kind, coin: of, ordered, subtractFee, maxFee } of held) {
    // That of a claim is in its link.
    if (kind === 'claim' || of !== coin) continue;
    sum += BigInt(ordered) + (subtractFee ? 0n : BigInt(maxFee));
  }
  return sum;
}

async function linkAtoms(
  db: Db,
  deps: FactsDeps,
  link: StoredRefundLink,
  coin: ForwardRule['coin'],
): Promise<bigint> {
  if (link.status !== 'open') return link.coin === coin ? BigInt(link.claimed ?? 0) : 0n;
  const row = await findPayment(db, link.paymentId);
  if (row === undefined) throw new Error(`refund link ${link.id} has no payment`);
  const options = claimOptions(deps.rates, link, await loadPayment(db, deps, row));
  return options.find((option) => option.coin === coin)?.atoms ?? 0n;
}

/** Makes the rates known on which the amounts of open links depend. @throws {AppError} RATE_UNAVAILABLE */
export async function ensureLinkRates(
  db: Db,
  deps: Pick<ForwardDeps, 'rates'>,
  rule: ForwardRule,
): Promise<void> {
  const links = await listLinksWithoutSend(db, rule);
  const current = links.filter(({ status, rate }) => status === 'open' && rate === 'current');
  for (const currency of new Set(current.map((link) => link.currency))) await deps.rates.ensure(currency);
}
