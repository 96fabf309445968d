import type { Insertable } from 'kysely';
import type { Coin } from '../../domain/coins.ts';
import type { PaymentRefund } from '../../domain/payment/types.ts';
import type { RefundRate } from '../../domain/payment/refund-link.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import type { RefundRow } from '../schema/payments.ts';
import type { SendStatus } from '../../domain/send/types.ts';
import { formatShare } from './sum-columns.ts';
import { SEND_STATUS } from '../sends/send-status.ts';
import { feeWithParts } from '../sends/sends.ts';

/** A refund with the current state of its send. */
export interface StoredRefund {
  readonly sendId: string;
  readonly paymentId: string;
  readonly coin: Coin;
  /** Atoms of the payment's money that it uses up. */
  readonly refunded: string;
  /** Atoms that the destination receives. */
  readonly amount: string;
  readonly fee: string;
  /** Fee budget of the send, atoms. */
  readonly maxFee: string;
  readonly feeLimitedAt: number | null;
  readonly height: number | null;
  /** Null until it is signed. */
  readonly txid: string | null;
  readonly destination: string;
  readonly status: SendStatus;
  readonly error: string | null;
  readonly createdAt: number;
  /** As ordered, if that was in fiat. */
  readonly fiatAmount: string | null;
  readonly rate: RefundRate | null;
  readonly linkId: string | null;
  readonly position: number;
  /** Share of the price, and sums: as RefundRow holds them. */
  readonly value: string | null;
  readonly unpriced: string;
  readonly completedJson: string | null;
  readonly byAcceptance: boolean;
}

/** Must run in the transaction that stores the send. */
export async function insertRefund(tx: Tx, row: Insertable<RefundRow>): Promise<void> {
  if (!tx.isTransaction) throw new Error('a refund must be written in the transaction of its send');
  await tx.insertInto('refunds').values(row).execute();
}

/** Stores the value returned by refunds and claims, once the rate of its money is known. */
export async function setRefundValues(
  tx: Tx,
  refunds: readonly Pick<PaymentRefund, 'id' | 'stage' | 'value' | 'unpriced'>[],
): Promise<void> {
  for (const { id, stage, ...given } of refunds) {
    const [value, unpriced] = [formatShare(given.value), given.unpriced.toString()];
    if (stage === 'promised') {
      const claim = { claimValue: value, claimUnpriced: unpriced };
      await tx.updateTable('refund_links').set(claim).where('id', '=', id).execute();
    } else await tx.updateTable('refunds').set({ value, unpriced }).where('sendId', '=', id).execute();
  }
}

/** All refunds of a payment, failed ones included, oldest first. */
export async function listRefunds(db: Db, paymentId: string): Promise<StoredRefund[]> {
  return ofPayment(db, { paymentId });
}

const ofPayment = prepared((db, param: ParamOf<{ paymentId: string }>) =>
  refunds(db)
    .where('refunds.paymentId', '=', param('paymentId'))
    .orderBy('refunds.position')
    .orderBy('refunds.createdAt')
    .orderBy('refunds.sendId'),
);

/** The refund of a send; undefined when the send is not a refund. */
export async function findRefund(db: Db, sendId: string): Promise<StoredRefund | undefined> {
  return refunds(db).where('refunds.sendId', '=', sendId).executeTakeFirst();
}

function refunds(db: Db) {
  return db
    .selectFrom('refunds')
    .innerJoin('sends', 'sends.id', 'refunds.sendId')
    .select(['refunds.sendId', 'refunds.paymentId', 'refunds.coin', 'refunds.createdAt'])
    .select(['refunds.amount as refunded', 'sends.amount', 'sends.txid', feeWithParts.as('fee')])
    .select(['refunds.fiatAmount', 'refunds.rate', 'refunds.linkId'])
    .select(['refunds.position', 'refunds.value', 'refunds.unpriced'])
    .select(['refunds.completedJson', 'refunds.byAcceptance'])
    .select(['sends.destination', SEND_STATUS.as('status'), 'sends.error'])
    .select(['sends.maxFee', 'sends.feeLimitedAt', 'sends.height']);
}
