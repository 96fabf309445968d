import type { Coin } from '../../domain/coins.ts';
import { isoTime } from '../../domain/iso-time.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import {
  decideForward,
  findWait,
  forwardAt,
  type ForwardProblem,
  type ForwardRule,
  type ForwardWait,
  isDescriptor,
} from '../../domain/send/forward.ts';
import { countFailedForwards, listForwards } from '../../store/sends/wallet-forwards.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { merchantMode } from '../access/index.ts';
import type { ForwardDeps } from './forward-deps.ts';
import { nextAddresses } from './forward-destination.ts';
import { readFunds } from './forward-facts.ts';

/** Wallets find the money of this many unused addresses in a row (BIP-44). */
export const GAP_LIMIT = 20;

/** Where forwards go, as the API presents it. */
interface DestinationView {
  /** One address, or null for a descriptor. */
  readonly destination: string | null;
  readonly descriptor: string | null;
  /** The next ones that it pays to. */
  readonly addresses: string[];
  readonly nextIndex: number | null;
}

/** A rule as the API presents it. */
export interface ForwardView extends DestinationView {
  readonly coin: Coin;
  readonly sandbox: boolean;
  readonly active: boolean;
  readonly keep: string;
  readonly threshold: string;
  readonly intervalMinutes: number;
  readonly status: ForwardWait | ForwardProblem | 'due';
  /** What the problem is; null without one. */
  readonly problem: string | null;
  /** A destination that takes effect later. */
  readonly pending: (DestinationView & { readonly takesEffectAt: string }) | null;
  /** Addresses in a row, up to the next one, whose forwards failed. */
  readonly gap: number;
  readonly lastSendId: string | null;
  readonly lastForwardAt: string | null;
  readonly updatedAt: string;
}

type ViewDeps = Pick<ForwardDeps, 'clock' | 'chains' | 'readReceiveBranch'>;

/** The rules of a shop in its current mode. */
export async function readForwards(
  deps: ViewDeps & { readonly db: Db },
  merchant: MerchantRow,
): Promise<ForwardView[]> {
  const rules = await listForwards(deps.db, { merchantId: merchant.id, mode: merchantMode(merchant) });
  const views: ForwardView[] = [];
  for (const rule of rules) views.push(await viewForward(deps.db, deps, rule));
  return views;
}

export async function viewForward(db: Db, deps: ViewDeps, stored: ForwardRule): Promise<ForwardView> {
  const now = deps.clock.now();
  const rule = forwardAt(stored, now);
  const { coin, mode, pending, problem } = rule;
  const status = await findStatus(db, deps, rule);
  return {
    coin,
    sandbox: mode === 'sandbox',
    active: rule.isActive,
    ...(await viewDestination(db, deps, rule, rule.destination)),
    keep: formatCoinAmount(rule.keep, coin),
    threshold: formatCoinAmount(rule.threshold, coin),
    intervalMinutes: rule.intervalMs / 60_000,
    status,
    problem: status === problem?.code ? problem.message : null,
    pending:
      pending === null
        ? null
        : {
            ...(await viewDestination(db, deps, rule, pending.destination)),
            takesEffectAt: isoTime(pending.at),
          },
    gap: await countFailedForwards(db, rule, GAP_LIMIT),
    lastSendId: rule.lastSendId,
    lastForwardAt: rule.lastRunAt === null ? null : isoTime(rule.lastRunAt),
    updatedAt: isoTime(rule.updatedAt),
  };
}

/** Reserved funds are not subtracted here; a due forward subtracts them. */
async function findStatus(db: Db, deps: ViewDeps, rule: ForwardRule): Promise<ForwardView['status']> {
  const { problem } = rule;
  if (problem?.code === 'restored') return problem.code;
  const funds = await readFunds(db, deps, rule);
  const now = deps.clock.now();
  const wait = findWait(rule, funds, now) ?? decideForward(rule, { ...funds, promised: 0n }, now).wait;
  return wait ?? problem?.code ?? 'due';
}

async function viewDestination(
  db: Db,
  deps: ViewDeps,
  rule: ForwardRule,
  destination: string | null,
): Promise<DestinationView> {
  if (destination === null) return { destination: null, descriptor: null, addresses: [], nextIndex: null };
  const isOne = !isDescriptor(destination);
  return {
    destination: isOne ? destination : null,
    descriptor: isOne ? null : destination,
    ...(await nextAddresses(db, deps, rule, destination)),
  };
}
