import {
  ATTENTION_KINDS,
  ATTENTION_TERMS,
  type AttentionKind,
  paymentAttention,
} from '../../domain/attention.ts';
import type { Actor } from '../../domain/actor.ts';
import type { Mode } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import { grants, type Scope } from '../../domain/scopes.ts';
import { findDismissals } from '../../store/attention/dismissals.ts';
import {
  countWaitingPayments,
  findWaitingPayment,
  listWaitingPayments,
  type ShopMode,
  type WaitingPayment,
} from '../../store/attention/waiting-payments.ts';
import { findPayment } from '../../store/payments/payments.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { merchantMode } from '../access/index.ts';
import { loadPayment, presentPayment } from '../payments/index.ts';
import { readExcess, readMoneyAfterRefund } from '../refunds/index.ts';
import type { AttentionDeps } from './attention-deps.ts';
import { type AttentionItem, presentItem, type WaitingItem } from './attention-item.ts';
import { findOtherItems } from './find-other-items.ts';

/** Whose list it is. */
export interface AttentionReader {
  readonly merchant: MerchantRow;
  /** Defaults to its current mode. */
  readonly mode?: Mode | undefined;
  readonly scopes: ReadonlySet<Scope>;
  readonly actor: Pick<Actor, 'role'>;
}

interface AttentionPage {
  readonly items: AttentionItem[];
  readonly pagination: { readonly page: number; readonly limit: number; readonly total: number };
}

const DAY_MS = 86_400_000;
const URGENT = new Set(ATTENTION_KINDS.filter((kind) => ATTENTION_TERMS[kind].severity === 'urgent'));

/**
 * One page of what waits for a person of a shop: urgent items first, in each part the newest first. The list is
 * derived from the current state, so that an item ends once it is settled. Items beyond the reader's role and
 * dismissed ones are left out.
 */
export async function listAttention(
  deps: AttentionDeps,
  reader: AttentionReader,
  { page, limit }: { readonly page: number; readonly limit: number },
): Promise<AttentionPage> {
  const { merchant } = reader;
  const shop = shopMode(reader);
  const others = await findVisible(deps, reader, shop);
  const readsPayments = grants(reader.scopes, 'payments:read');
  const count = readsPayments ? await countWaitingPayments(deps.db, shop) : 0;
  const total = others.length + count;
  const end = page * limit;
  // A page beyond the end would read every payment that waits, only to skip it.
  const isBeyond = end - limit >= total;
  // Payments before the page are skipped, except as many as the other items may take its place.
  const offset = Math.max(0, end - limit - others.length);
  const range = { limit: end - offset, offset };
  const payments = readsPayments && !isBeyond ? await listWaitingPayments(deps.db, shop, range) : [];
  const ordered = [...others, ...payments.map(toItem)].toSorted(compareItems);
  const items: AttentionItem[] = [];
  for (const item of ordered.slice(end - limit - offset, end - offset)) {
    const complete = await addMoney(deps, item);
    const paths = { baseUrl: deps.baseUrl, merchantId: merchant.id };
    items.push({ ...presentItem(complete, paths), mayDismiss: mayDismiss(reader, item.kind) });
  }
  return { items, pagination: { page, limit, total } };
}

/** An item that exists now and that the reader may see, dismissed or not; undefined: there is none. */
export async function findAttentionItem(
  deps: AttentionDeps,
  reader: AttentionReader,
  id: string,
): Promise<WaitingItem | undefined> {
  const shop = shopMode(reader);
  const others = await findOtherItems(deps, shop, reader.merchant);
  const other = others.find((item) => item.id === id && isVisible(reader, item));
  if (other !== undefined || !grants(reader.scopes, 'payments:read')) return other;
  const payment = await findWaitingPayment(deps.db, shop, id);
  return payment === undefined ? undefined : toItem(payment);
}

function shopMode({ merchant, mode }: AttentionReader): ShopMode {
  return { merchantId: merchant.id, mode: merchantMode(merchant, mode) };
}

async function findVisible(
  deps: AttentionDeps,
  reader: AttentionReader,
  shop: ShopMode,
): Promise<WaitingItem[]> {
  const all = (await findOtherItems(deps, shop, reader.merchant)).filter((item) => isVisible(reader, item));
  const ids = all.map(({ id }) => id);
  const dismissals = await findDismissals(deps.db, shop.merchantId, ids);
  return all.filter(({ id, mark }) => {
    const dismissal = dismissals.get(id);
    if (dismissal === undefined) return true;
    // A fault of the server has no states to tell apart: it returns after a day.
    if (mark === null) return deps.clock.now() - dismissal.dismissedAt >= DAY_MS;
    return dismissal.mark !== mark;
  });
}

function isVisible(reader: AttentionReader, { kind }: WaitingItem): boolean {
  return holds(reader, ATTENTION_TERMS[kind].scope);
}

function holds({ scopes, actor }: AttentionReader, scope: Scope | 'owner'): boolean {
  return scope === 'owner' ? actor.role === 'owner' : grants(scopes, scope);
}

/** Whether the reader may take an item of this kind off the list of everyone in the shop. */
function mayDismiss(reader: AttentionReader, kind: AttentionKind): boolean {
  return grants(reader.scopes, 'payments:write') && holds(reader, ATTENTION_TERMS[kind].dismissScope);
}

/** @throws {AppError} FORBIDDEN, with the permission that the reader lacks. */
export function assertMayDismiss(reader: AttentionReader, { kind }: WaitingItem): void {
  if (mayDismiss(reader, kind)) return;
  const { dismissScope } = ATTENTION_TERMS[kind];
  const details = [{ field: 'scope', code: 'missing', message: `needs ${dismissScope}` }];
  throw new AppError('FORBIDDEN', `To dismiss this, the permission ${dismissScope} is needed`, { details });
}

function compareItems(a: WaitingItem, b: WaitingItem): number {
  const urgent = Number(URGENT.has(b.kind)) - Number(URGENT.has(a.kind));
  const newest = (b.since ?? 0) - (a.since ?? 0);
  return urgent || newest || (a.id < b.id ? 1 : -1);
}

function toItem(payment: WaitingPayment): WaitingItem {
  const { id, updatedAt, sequence } = payment;
  const kind = paymentAttention(payment);
  if (kind === null) throw new Error(`payment ${id} needs no decision in status ${payment.status}`);
  const item = { id, kind, since: updatedAt, mark: String(sequence), subject: { paymentId: id } };
  if (kind !== 'payment_reversed' || canBePaid(payment)) return item;
  const message = 'Do not deliver. This payment can no longer be paid: create a new one for the payer.';
  return { ...item, action: 'replace_payment', message };
}

/** Whether its payment page still shows addresses to pay to. */
const canBePaid = ({ status }: WaitingPayment): boolean => status === 'pending' || status === 'underpaid';

/** The order and the money of a payment that waits, which the list itself does not read. */
async function addMoney(deps: AttentionDeps, item: WaitingItem): Promise<WaitingItem> {
  const { kind } = item;
  if (!kind.startsWith('payment_')) return item;
  const row = await findPayment(deps.db, item.id);
  if (row === undefined) throw new Error(`payment ${item.id} does not exist`);
  const { amount: price, currency } = row;
  const subject = { ...item.subject, order: row.orderLabel ?? row.orderId };
  if (kind === 'payment_reversed') return { ...item, subject, amount: price, price, currency };
  if (kind === 'payment_over' || kind === 'payment_after_refund') {
    const read = kind === 'payment_over' ? readExcess : readMoneyAfterRefund;
    const excess = read(await loadPayment(deps.db, deps, row));
    return { ...item, subject, amount: excess?.amount ?? null, currency: excess?.coin ?? currency };
  }
  const { receivedFiat } = await presentPayment(deps.db, deps, row);
  return { ...item, subject, amount: receivedFiat, price, currency };
}
