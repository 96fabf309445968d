import type { Chains } from '../../domain/chains.ts';
import { type Coin, isUtxoCoin, UTXO_CODES } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { findOutput } from '../../store/ledger/outputs.ts';
import {
  findOwnAddress,
  isOwnTransaction,
  type LabelKind,
  putLabel,
} from '../../store/ledger/wallet-labels.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { merchantMode } from '../access/index.ts';
import { freezeOutputs } from '../wallet/index.ts';
import { LABEL_LINES_MAX, type LabelLine, parseLabelLines, type UnreadableLine } from './label-lines.ts';

export interface ImportLabelsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly chains: Chains;
}

export interface ImportedLabels {
  /** Lines whose label was stored, or removed by an empty one. */
  readonly labels: number;
  readonly frozen: number;
  readonly unfrozen: number;
  /** Lines about transactions, addresses and outputs that are not of this wallet. */
  readonly unknown: number;
  /** Lines of types that are not stored, and lines that change nothing. */
  readonly ignored: number;
  readonly truncated: number;
  readonly unreadable: UnreadableLine[];
}

/** Lines per transaction. */
const BATCH = 100;
const OUTPUT_REF = /^([0-9a-f]{64}):(\d{1,7})$/;
const TXID = /^[0-9a-f]{64}$/;

/** A record about something of this wallet. */
interface OwnRecord {
  readonly kind: LabelKind;
  readonly ref: string;
  /** An output that is not spent, which can be frozen. */
  readonly output: { readonly txHash: string; readonly index: number } | null;
}

type Growing = { -readonly [K in keyof Omit<ImportedLabels, 'unreadable'>]: number };

/**
 * Stores the labels of the wallet's own transactions, addresses and outputs (BIP 329), and freezes outputs that are not
 * spendable, or unfreezes those that are. What a line does not give stays as it is.
 * @throws {AppError} VALIDATION_INVALID for a coin without outputs or too many lines, COIN_UNAVAILABLE
 */
export async function importLabels(
  deps: ImportLabelsDeps,
  { merchant, coin, text }: { readonly merchant: MerchantRow; readonly coin: Coin; readonly text: string },
): Promise<ImportedLabels> {
  if (!isUtxoCoin(coin)) throw invalidField('coin', `has no outputs: use ${UTXO_CODES.join(' or ')}`);
  const { records, unreadable } = parseLabelLines(text);
  if (records.length + unreadable.length > LABEL_LINES_MAX)
    throw invalidField('labels', `must have at most ${LABEL_LINES_MAX} lines`);
  const counts: Growing = { labels: 0, frozen: 0, unfrozen: 0, unknown: 0, ignored: 0, truncated: 0 };
  for (let at = 0; at < records.length; at += BATCH)
    await importBatch(deps, { merchant, coin }, { records: records.slice(at, at + BATCH), counts });
  return { ...counts, unreadable };
}

async function importBatch(
  deps: ImportLabelsDeps,
  { merchant, coin }: { readonly merchant: MerchantRow; readonly coin: Coin },
  { records, counts }: { readonly records: readonly LabelLine[]; readonly counts: Growing },
): Promise<void> {
  const wallet = { coin, mode: merchantMode(merchant), merchantId: merchant.id };
  const freeze: NonNullable<OwnRecord['output']>[] = [];
  const unfreeze: NonNullable<OwnRecord['output']>[] = [];
  await deps.db.transaction(async (tx) => {
    for (const record of records) {
      const own = await findOwn(tx, deps, wallet, record);
      if (own === 'ignored' || own === 'unknown') {
        counts[own] += 1;
        continue;
      }
      const { label, spendable, isTruncated } = record;
      const isHeld = spendable !== undefined && own.output !== null;
      if (label === undefined && !isHeld) counts.ignored += 1;
      if (label !== undefined) {
        await putLabel(tx, wallet, { kind: own.kind, ref: own.ref, label, now: deps.clock.now() });
        counts.labels += 1;
        if (isTruncated) counts.truncated += 1;
      }
      if (isHeld && own.output !== null) (spendable ? unfreeze : freeze).push(own.output);
    }
  });
  if (freeze.length > 0) await freezeOutputs(deps, { merchant, coin, outputs: freeze, frozen: true });
  if (unfreeze.length > 0) await freezeOutputs(deps, { merchant, coin, outputs: unfreeze, frozen: false });
  counts.frozen += freeze.length;
  counts.unfrozen += unfreeze.length;
}

/** What a record is about, if it is of this wallet. */
async function findOwn(
  tx: Tx,
  { chains }: ImportLabelsDeps,
  wallet: Parameters<typeof putLabel>[1],
  { type, ref }: LabelLine,
): Promise<OwnRecord | 'ignored' | 'unknown'> {
  if (type === 'tx') {
    const txid = ref.toLowerCase();
    if (!TXID.test(txid) || !(await isOwnTransaction(tx, wallet, txid))) return 'unknown';
    return { kind: 'tx', ref: txid, output: null };
  }
  if (type === 'addr') {
    const adapter = chains.get(wallet.coin, wallet.mode);
    if (adapter === null) throw new AppError('COIN_UNAVAILABLE', `${wallet.coin} is not configured`);
    if (adapter.validateAddress(ref) !== null) return 'unknown';
    const address = await findOwnAddress(tx, wallet, adapter.watchKey(ref));
    return address === undefined ? 'unknown' : { kind: 'addr', ref: address, output: null };
  }
  if (type !== 'output') return 'ignored';
  const [, txHash, index] = OUTPUT_REF.exec(ref.toLowerCase()) ?? [];
  if (txHash === undefined || index === undefined) return 'unknown';
  const at = { txid: txHash, index: Number(index) };
  const output = await findOutput(tx, wallet, at);
  if (output?.merchantId !== wallet.merchantId) return 'unknown';
  const canFreeze = output.spentBy === null && output.state !== 'gone';
  return {
    kind: 'output',
    ref: `${at.txid}:${at.index}`,
    output: canFreeze ? { txHash, index: at.index } : null,
  };
}
