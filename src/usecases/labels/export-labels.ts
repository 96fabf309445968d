import { type Coin, isUtxoCoin, type Mode, UTXO_CODES } from '../../domain/coins.ts';
import { invalidField } from '../../domain/errors.ts';
import { findWalletOutputs } from '../../store/ledger/wallet-outputs.ts';
import {
  findLabels,
  type ImportedLabel,
  type LabelKind,
  type LabelledOutput,
  type LabelledSend,
  pageImportedLabels,
  pageLabelledOutputs,
  pageLabelledSends,
} from '../../store/ledger/wallet-labels.ts';
import { listWatchAccounts, type WatchAccount } from '../../store/ledger/watch-accounts.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** A record of BIP 329. */
export interface LabelView {
  readonly type: LabelKind | 'xpub';
  readonly ref: string;
  readonly label?: string;
  readonly origin?: string;
  /** Of unspent outputs: whether the shop may spend them, or has frozen them. */
  readonly spendable?: boolean;
}

interface Wallet {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly coin: Coin;
}

/** Rows per page. */
const PAGE = 500;
/** At most 255 code points. */
const LABEL_START = /^.{0,255}/su;
const EXTENDED_KEY = /\b[a-z]pub[1-9A-HJ-NP-Za-km-z]{90,120}/gu;

/**
 * The labels of a wallet, page by page: imported ones, then those that the till knows of its outputs, their addresses
 * and transactions, of its sends, and of watched accounts. An imported label replaces the till's own.
 * @throws {AppError} VALIDATION_INVALID for a coin without outputs
 */
export function exportLabels(
  { db }: { readonly db: Db },
  wallet: Wallet,
): AsyncGenerator<readonly LabelView[], void> {
  if (!isUtxoCoin(wallet.coin)) throw invalidField('coin', `has no outputs: use ${UTXO_CODES.join(' or ')}`);
  return pages(db.readThread, wallet);
}

async function* pages(db: Db, wallet: Wallet): AsyncGenerator<readonly LabelView[], void> {
  yield* importedPages(db, wallet);
  yield* outputPages(db, wallet);
  yield* sendPages(db, wallet);
  yield (await listWatchAccounts(db, wallet)).filter(({ coin }) => coin === wallet.coin).flatMap(viewAccount);
}

async function* importedPages(db: Db, wallet: Wallet): AsyncGenerator<readonly LabelView[], void> {
  let after: { readonly kind: LabelKind; readonly ref: string } = { kind: 'addr', ref: '' };
  for (;;) {
    const rows = await pageImportedLabels(db, wallet, { after, limit: PAGE });
    const last = rows.at(-1);
    if (last === undefined) return;
    const frozen = await findFrozen(db, wallet, rows);
    yield rows.map(({ kind, ref, label }) => ({ type: kind, ref, label, ...frozen.get(ref) }));
    after = last;
  }
}

/** `spendable` of the unspent outputs among some labels. */
async function findFrozen(
  db: Db,
  wallet: Wallet,
  rows: readonly ImportedLabel[],
): Promise<ReadonlyMap<string, { readonly spendable: boolean }>> {
  const refs = rows.flatMap(({ kind, ref }) => {
    const [txid = '', index = ''] = ref.split(':');
    return kind === 'output' ? [{ txid, index: Number(index) }] : [];
  });
  const outputs = await findWalletOutputs(db, wallet, refs);
  return new Map(
    outputs.flatMap(({ txid, vout, frozen, spentBy }) =>
      spentBy === null ? [[`${txid}:${vout}`, { spendable: frozen === null }]] : [],
    ),
  );
}

async function* outputPages(db: Db, wallet: Wallet): AsyncGenerator<readonly LabelView[], void> {
  let after = { firstSeenAt: 0, seq: 0 };
  // The addresses and transactions of the previous page, which may continue on the next one.
  let before: ReadonlySet<string> = new Set();
  for (;;) {
    const rows = await pageLabelledOutputs(db, wallet, { after, limit: PAGE });
    const last = rows.at(-1);
    if (last === undefined) return;
    const labels = await withoutImported(db, wallet, rows.flatMap(viewOutput));
    const once = new Map(labels.map((label) => [`${label.type} ${label.ref}`, label]));
    yield [...once].flatMap(([key, label]) => (before.has(key) ? [] : [label]));
    before = new Set(once.keys());
    after = last;
  }
}

async function* sendPages(db: Db, wallet: Wallet): AsyncGenerator<readonly LabelView[], void> {
  let after = { createdAt: 0, id: '' };
  for (;;) {
    const rows = await pageLabelledSends(db, wallet, { after, limit: PAGE });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield await withoutImported(db, wallet, rows.flatMap(viewSend));
    after = last;
  }
}

/** Those without an imported label, which is exported already. */
async function withoutImported(
  db: Db,
  wallet: Wallet,
  labels: readonly LabelView[],
): Promise<readonly LabelView[]> {
  const imported = new Set<string>();
  for (const kind of ['tx', 'addr', 'output'] as const) {
    const refs = labels.flatMap(({ type, ref }) => (type === kind ? [ref] : []));
    for (const ref of (await findLabels(db, wallet, { kind, refs })).keys()) imported.add(`${kind} ${ref}`);
  }
  return labels.filter(({ type, ref }) => !imported.has(`${type} ${ref}`));
}

function viewOutput(row: LabelledOutput): LabelView[] {
  const { txid, vout, address, paymentId, purpose, isSpent, isFrozen, isOwnSend, note } = row;
  const output = {
    type: 'output',
    ref: `${txid}:${vout}`,
    ...(isSpent ? {} : { spendable: !isFrozen }),
  } as const;
  if (paymentId === null) {
    const label = purpose === 'change' ? 'Change' : 'Deposit';
    return [{ ...output, label: isOwnSend ? 'Change' : label }];
  }
  const label = limit(`${describePayment(row, paymentId)}${note === null ? '' : `: ${note}`}`);
  const addr = { type: 'addr', ref: address, label } as const;
  return [{ ...output, label }, addr, ...(isOwnSend ? [] : [{ type: 'tx', ref: txid, label } as const])];
}

function viewSend(send: LabelledSend): LabelView[] {
  const { txid, refundOf } = send;
  if (txid === null) return [];
  const about = refundOf === null ? sendReason(send) : `Refund of ${describePayment(send, refundOf)}`;
  return [{ type: 'tx', ref: txid, label: limit(send.note === null ? about : `${about}: ${send.note}`) }];
}

function sendReason({ reason, purpose }: LabelledSend): string {
  if (reason === 'forward') return 'Forward to cold storage';
  return purpose === 'sweep' ? 'Move within the wallet' : 'Send';
}

function describePayment(
  { orderId, orderLabel }: Pick<LabelledOutput, 'orderId' | 'orderLabel'>,
  paymentId: string,
): string {
  const order = orderLabel ?? orderId;
  return order === null || order === '' ? `Payment ${paymentId}` : `Order ${order} (${paymentId})`;
}

/** One line of at most the length that the BIP suggests. */
function limit(label: string): string {
  return LABEL_START.exec(label.toWellFormed().replaceAll(/\p{Cc}+/gu, ' '))?.[0] ?? '';
}

/** A record per extended key of a watched account. */
function viewAccount({ descriptor }: WatchAccount): LabelView[] {
  const origin = abbreviate(descriptor);
  const keys = new Set([...descriptor.matchAll(EXTENDED_KEY)].map(([key]) => key));
  return [...keys].map((ref) => ({
    type: 'xpub',
    ref,
    label: 'Watch-only account',
    ...(origin === null ? {} : { origin }),
  }));
}

/** The descriptor without keys, child paths and checksum; null unless each key has its origin. */
function abbreviate(descriptor: string): string | null {
  const [body = ''] = descriptor.split('#');
  const keyless = body.replaceAll(
    /(\])?[a-z]pub[1-9A-HJ-NP-Za-km-z]+(?:\/[0-9*<>;'h]+)*/gu,
    (_key, origin?: string) => (origin === undefined ? '?' : origin),
  );
  return keyless.includes('?') ? null : keyless;
}
