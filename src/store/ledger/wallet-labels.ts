import { sql, type Selectable } from 'kysely';
import type { ChainId } from '../../domain/coins.ts';
import type { WalletLabelRow } from '../schema/ledger.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** Labels of the transactions, addresses and outputs of a wallet: imported ones, and what the till knows. */

export type LabelKind = WalletLabelRow['kind'];
export type ImportedLabel = Selectable<WalletLabelRow>;

type Wallet = ChainId & { readonly merchantId: string };

interface LabelKey {
  readonly kind: LabelKind;
  readonly ref: string;
}

/** Stores a label; an empty one deletes it. */
export async function putLabel(
  tx: Tx,
  { coin, mode, merchantId }: Wallet,
  { kind, ref, label, now }: LabelKey & { readonly label: string; readonly now: number },
): Promise<void> {
  if (label === '') {
    await tx
      .deleteFrom('wallet_labels')
      .where('merchantId', '=', merchantId)
      .where('coin', '=', coin)
      .where('mode', '=', mode)
      .where('kind', '=', kind)
      .where('ref', '=', ref)
      .execute();
    return;
  }
  await tx
    .insertInto('wallet_labels')
    .values({ merchantId, coin, mode, kind, ref, label, updatedAt: now })
    .onConflict((conflict) => conflict.doUpdateSet({ label, updatedAt: now }))
    .execute();
}

/** The imported labels of a kind for some references. */
export async function findLabels(
  db: Db,
  { coin, mode, merchantId }: Wallet,
  { kind, refs }: { readonly kind: LabelKind; readonly refs: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  if (refs.length === 0) return new Map();
  const rows = await db
    .selectFrom('wallet_labels')
    .select(['ref', 'label'])
    .where('merchantId', '=', merchantId)
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('kind', '=', kind)
    .where('ref', 'in', refs)
    .execute();
  return new Map(rows.map(({ ref, label }) => [ref, label]));
}

/** The imported labels of some outputs: an output's own, or else that of its address, or of its transaction. */
export async function findOutputLabels(
  db: Db,
  wallet: Wallet,
  outputs: readonly { readonly txid: string; readonly vout: number; readonly address: string }[],
): Promise<(string | null)[]> {
  const find = async (kind: LabelKind, refs: readonly string[]) => findLabels(db, wallet, { kind, refs });
  const own = await find(
    'output',
    outputs.map(({ txid, vout }) => `${txid}:${vout}`),
  );
  const ofAddresses = await find(
    'addr',
    outputs.map(({ address }) => address),
  );
  const ofTransactions = await find(
    'tx',
    outputs.map(({ txid }) => txid),
  );
  return outputs.map(
    ({ txid, vout, address }) =>
      own.get(`${txid}:${vout}`) ?? ofAddresses.get(address) ?? ofTransactions.get(txid) ?? null,
  );
}

/** Whether a transaction paid a wallet, or one of its sends is in it. */
export async function isOwnTransaction(
  db: Db,
  { coin, mode, merchantId }: Wallet,
  txid: string,
): Promise<boolean> {
  const paid = await db
    .selectFrom('outputs')
    .select('seq')
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('txid', '=', txid)
    .where('merchantId', '=', merchantId)
    .executeTakeFirst();
  if (paid !== undefined) return true;
  const sent = await db
    .selectFrom('send_versions')
    .innerJoin('sends', 'sends.id', 'send_versions.sendId')
    .select('sends.id')
    .where('send_versions.coin', '=', coin)
    .where('send_versions.mode', '=', mode)
    .where('send_versions.txid', '=', txid)
    .where('sends.merchantId', '=', merchantId)
    .executeTakeFirst();
  return sent !== undefined;
}

/** An address that a wallet gave out, as it is stored; undefined if it did not. */
export async function findOwnAddress(
  db: Db,
  { coin, mode, merchantId }: Wallet,
  watchKey: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('addresses')
    .select('address')
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('watchKey', '=', watchKey)
    .where('merchantId', '=', merchantId)
    .executeTakeFirst();
  return row?.address;
}

/** Imported labels after another one, in the order of their keys. */
export async function pageImportedLabels(
  db: Db,
  { coin, mode, merchantId }: Wallet,
  { after, limit }: { readonly after: LabelKey; readonly limit: number },
): Promise<ImportedLabel[]> {
  return db
    .selectFrom('wallet_labels')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where((eb) => eb(eb.refTuple('kind', 'ref'), '>', eb.tuple(after.kind, after.ref)))
    .orderBy('kind')
    .orderBy('ref')
    .limit(limit)
    .execute();
}

/** An output with what the till knows of the payment on it. */
export interface LabelledOutput {
  readonly seq: number;
  readonly txid: string;
  readonly vout: number;
  readonly address: string;
  readonly purpose: string;
  readonly paymentId: string | null;
  readonly orderId: string | null;
  readonly orderLabel: string | null;
  readonly note: string | null;
  readonly isSpent: boolean;
  readonly isFrozen: boolean;
  /** Whether a send of the till made it. */
  readonly isOwnSend: boolean;
  readonly firstSeenAt: number;
}

/** Outputs of a wallet after another one, in the order in which they were seen. */
export async function pageLabelledOutputs(
  db: Db,
  { coin, mode, merchantId }: Wallet,
  {
    after,
    limit,
  }: { readonly after: { readonly firstSeenAt: number; readonly seq: number }; readonly limit: number },
): Promise<LabelledOutput[]> {
  const rows = await db
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .leftJoin('payments', 'payments.id', 'outputs.paymentId')
    .leftJoin('payment_notes', 'payment_notes.paymentId', 'outputs.paymentId')
    .leftJoin('frozen_outputs', (join) =>
      join
        .onRef('frozen_outputs.coin', '=', 'outputs.coin')
        .onRef('frozen_outputs.mode', '=', 'outputs.mode')
        .onRef('frozen_outputs.txid', '=', 'outputs.txid')
        .onRef('frozen_outputs.vout', '=', 'outputs.vout'),
    )
    .leftJoin('send_versions as own', (join) =>
      join
        .onRef('own.coin', '=', 'outputs.coin')
        .onRef('own.mode', '=', 'outputs.mode')
        .onRef('own.txid', '=', 'outputs.txid'),
    )
    .where('outputs.merchantId', '=', merchantId)
    .where('outputs.mode', '=', mode)
    .where('outputs.coin', '=', coin)
    .where('outputs.state', '!=', sql.lit('gone'))
    // The order of the index, in which the coin is between the time and the number.
    .where((eb) =>
      eb(
        eb.refTuple('outputs.firstSeenAt', 'outputs.coin', 'outputs.seq'),
        '>',
        eb.tuple(after.firstSeenAt, coin, after.seq),
      ),
    )
    .orderBy('outputs.firstSeenAt')
    .orderBy('outputs.coin')
    .orderBy('outputs.seq')
    .limit(limit)
    .select(['outputs.seq', 'outputs.txid', 'outputs.vout', 'outputs.paymentId', 'outputs.firstSeenAt'])
    .select(['outputs.spentBy', 'addresses.address', 'addresses.purpose', 'own.sendId as ownSend'])
    .select([
      'payments.orderId',
      'payments.orderLabel',
      'payment_notes.note',
      'frozen_outputs.txid as frozen',
    ])
    .execute();
  return rows.map(({ spentBy, frozen, ownSend, ...row }) => ({
    ...row,
    isSpent: spentBy !== null,
    isFrozen: frozen !== null,
    isOwnSend: ownSend !== null,
  }));
}

/** A signed send with what the till knows of it. */
export interface LabelledSend {
  readonly id: string;
  readonly txid: string | null;
  readonly note: string | null;
  readonly reason: string | null;
  readonly purpose: 'send' | 'sweep';
  readonly refundOf: string | null;
  readonly orderId: string | null;
  readonly orderLabel: string | null;
  readonly createdAt: number;
}

/** Sends of a wallet after another one, in the order in which they were made. */
export async function pageLabelledSends(
  db: Db,
  { coin, mode, merchantId }: Wallet,
  {
    after,
    limit,
  }: { readonly after: { readonly createdAt: number; readonly id: string }; readonly limit: number },
): Promise<LabelledSend[]> {
  return db
    .selectFrom('sends')
    .leftJoin('refunds', 'refunds.sendId', 'sends.id')
    .leftJoin('payments', 'payments.id', 'refunds.paymentId')
    .where('sends.merchantId', '=', merchantId)
    .where((eb) => eb(eb.refTuple('sends.createdAt', 'sends.id'), '>', eb.tuple(after.createdAt, after.id)))
    .where('sends.mode', '=', mode)
    .where('sends.coin', '=', coin)
    .orderBy('sends.createdAt')
    .orderBy('sends.id')
    .limit(limit)
    .select(['sends.id', 'sends.txid', 'sends.note', 'sends.reason', 'sends.purpose', 'sends.createdAt'])
    .select(['refunds.paymentId as refundOf', 'payments.orderId', 'payments.orderLabel'])
    .execute();
}
