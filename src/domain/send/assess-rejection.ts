import type { SendPolicy } from './policy.ts';
import type { RejectionEvidence, SendState, SendVersion, Verdict } from './types.ts';

/**
 * Judges the evidence on a refused send. A version that was mined long ago also looks invalid, as does any
 * version to a node of another chain, so the ledger must have read exactly the node's blocks; the same
 * applies to a version whose inputs a reorg unconfirmed. An unfunded send may be mined once its account
 * receives more: only a transfer within the wallet then counts as lost, because the next one reuses its nonce
 * and at most one of them is mined.
 */
export function assessRejection(
  send: SendState,
  evidence: RejectionEvidence,
  { surplusDepth }: Pick<SendPolicy, 'surplusDepth'>,
): Verdict {
  const findFate = ({ txid }: SendVersion) => evidence.fates.get(txid) ?? 'unknown';
  const present = send.versions.findLast((each) => findFate(each) === 'present');
  if (present !== undefined) return { kind: 'present', version: present.version };
  const hasInsufficientFunds = (each: SendVersion) =>
    evidence.isWithinWallet && findFate(each) === 'unfunded';
  const isUnfunded = send.versions.some(hasInsufficientFunds);
  const possible = send.versions.filter((each) => findFate(each) !== 'gone' && !hasInsufficientFunds(each));
  const current = possible.find(({ version }) => version === send.version) ?? possible.at(-1);
  const open = { kind: 'open', version: current?.version ?? null } as const;
  const { height, finalHeight } = evidence;
  if (!evidence.isOnLedgerTip || height === null) return { ...open, why: 'ledger_differs' };
  if (current !== undefined || send.versions.length === 0) return { ...open, why: 'version_possible' };
  if (evidence.isPossiblyPaid) return { ...open, why: 'paid_unseen' };
  if (evidence.mayGetInputsBack && !isUnfunded) return { ...open, why: 'inputs_return' };
  const since = Math.min(send.displacedHeight ?? height, height);
  const depth = height - since + 1;
  // Until the block that shows the low balance is final, a reorg may restore the money.
  const isLasting = isUnfunded ? finalHeight !== null && finalHeight >= since : depth >= surplusDepth;
  return { kind: 'impossible', since, depth, isUnfunded, isLasting };
}
