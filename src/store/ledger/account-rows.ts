import { type SelectQueryBuilder, sql } from 'kysely';
import type { ChainId, Mode } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { prepared, preparedList, type ParamOf } from '../sqlite/prepared.ts';
import type { Tables } from '../schema/tables.ts';

/** An account with one of its unspent parts; those columns are null when it holds nothing. */
export interface AccountRow {
  readonly id: number;
  readonly watchKey: string;
  readonly createdAt: number;
  readonly idx: number;
  /** Null for a merchant's own address. */
  readonly paymentId: string | null;
  /** Status of that payment, or of the one that superseded it, because money received here counts there. */
  readonly status: string | null;
  readonly expiresAt: number | null;
  readonly closedAt: number | null;
  readonly txid: string | null;
  readonly vout: number | null;
  readonly amount: string | null;
  readonly height: number | null;
}

type Chosen = Pick<AccountRow, 'id' | 'watchKey' | 'createdAt' | 'idx' | 'paymentId'>;
const CHOSEN = [
  'addresses.id',
  'addresses.watchKey',
  'addresses.createdAt',
  'addresses.idx',
  'addresses.paymentId',
] as const;
const OUTPUT_COLUMNS = ['outputs.txid', 'outputs.vout', 'outputs.amount', 'outputs.height'] as const;

const isLeadOfPayee = sql<boolean>`lead.id = coalesce(payee.superseded_by, payee.id)`;

/** Joins each address with the payment that counts its money and a row for each unspent part, the newest address first. */
function joinPayeesAndOutputs(db: Db, addresses: SelectQueryBuilder<Tables, 'addresses', Chosen>) {
  return db
    .selectFrom(addresses.as('chosen'))
    .leftJoin('payments as payee', 'payee.id', 'chosen.paymentId')
    .leftJoin('payments as lead', (join) => join.on(isLeadOfPayee))
    .leftJoin('outputs', (join) =>
      join
        .onRef('outputs.addressId', '=', 'chosen.id')
        .on('outputs.state', '=', sql.lit('confirmed'))
        .on('outputs.spentHeight', 'is', null),
    )
    .select(['chosen.id', 'chosen.watchKey', 'chosen.createdAt', 'chosen.idx', 'chosen.paymentId'])
    .select(['lead.status', 'lead.expiresAt', 'lead.closedAt', ...OUTPUT_COLUMNS])
    .orderBy('chosen.id', 'desc');
}

/** Base query on a chain's addresses. */
function chainAddresses(db: Db, { coin, mode }: ChainId) {
  return db.selectFrom('addresses').select(CHOSEN).where('coin', '=', coin).where('mode', '=', mode);
}

/** The highest address id of a chain; no row while there is none. */
export const newestAddressId = prepared((db, param: ParamOf<ChainId>) =>
  db
    .selectFrom('addresses')
    .select('id')
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .orderBy('id', 'desc')
    .limit(1),
);

/** The merchants' own accounts, up to an id. */
export const ownAccounts = prepared((db, param: ParamOf<ChainId & { newest: number; limit: number }>) =>
  joinPayeesAndOutputs(
    db,
    chainAddresses(db, { coin: param('coin'), mode: param('mode') })
      .where('merchantId', 'in', db.selectFrom('merchants').select('id'))
      .where('branch', '=', 0)
      .where('idx', '=', 0)
      .where('id', '<=', param('newest'))
      .limit(param('limit')),
  ),
);

/** The newest accounts of payments below an id. */
export const newestAccounts = prepared((db, param: ParamOf<ChainId & { below: number; size: number }>) =>
  joinPayeesAndOutputs(
    db,
    chainAddresses(db, { coin: param('coin'), mode: param('mode') })
      .where('id', '<', param('below'))
      .where('paymentId', 'is not', null)
      .orderBy('id', 'desc')
      .limit(param('size')),
  ),
);

/** Accounts of payments and merchants with ids above `after`, lowest ids first. */
export const accountsAfter = prepared((db, param: ParamOf<ChainId & { after: number; size: number }>) =>
  joinPayeesAndOutputs(
    db,
    chainAddresses(db, { coin: param('coin'), mode: param('mode') })
      .where('id', '>', param('after'))
      .where((eb) =>
        eb.or([eb('paymentId', 'is not', null), eb.and([eb('branch', '=', 0), eb('idx', '=', 0)])]),
      )
      .orderBy('id')
      .limit(param('size')),
  ),
);

/** Accounts of these payments. */
export const accountsOfPayments = preparedList((db, param: ParamOf<ChainId>, ids) =>
  joinPayeesAndOutputs(
    db,
    chainAddresses(db, { coin: param('coin'), mode: param('mode') }).where('paymentId', 'in', ids),
  ),
);

interface PaymentPage {
  readonly mode: Mode;
  readonly expiresAt: number;
  readonly id: string;
  readonly size: number;
}

/** @param condition a literal, not bound: only then can the planner prove that the partial index applies */
function waitingPayments(condition: string) {
  return prepared((db, param: ParamOf<PaymentPage>) =>
    db
      .selectFrom('payments')
      .select(['id', 'expiresAt'])
      .where(sql<boolean>`${sql.raw(condition)}`)
      .where('mode', '=', param('mode'))
      .where((eb) => eb(eb.refTuple('expiresAt', 'id'), '>', eb.tuple(param('expiresAt'), param('id'))))
      .orderBy('expiresAt')
      .orderBy('id')
      .limit(param('size')),
  );
}

/** A page of the payments that still wait for money, earliest expiry first. */
export const unpaidPayments = waitingPayments(`closed_at is null and status in ('pending', 'underpaid')`);

/** A page of the payments whose money gathers confirmations, earliest expiry first. */
export const confirmingPayments = waitingPayments(`status = 'confirming'`);

/**
 * Times of the payment that counts the money of a payment: they decide whether its accounts are awaited (see
 * isWaiting) or open.
 */
export const paymentTimes = prepared((db, param: ParamOf<{ id: string }>) =>
  db
    .selectFrom('payments as payee')
    .innerJoin('payments as lead', (join) => join.on(isLeadOfPayee))
    .select(['lead.status', 'lead.expiresAt', 'lead.closedAt'])
    .where('payee.id', '=', param('id')),
);

/** Ids of the payments that these have superseded. */
export const supersededPayments = preparedList((db, _param: ParamOf<object>, ids) =>
  db
    .selectFrom('payments as lead')
    .innerJoin('payments as member', (join) =>
      join.onRef('member.groupId', '=', 'lead.groupId').onRef('member.supersededBy', '=', 'lead.id'),
    )
    .select('member.id')
    .distinct()
    .where('lead.id', 'in', ids),
);

/** Whether a payment waits for money, or for confirmations of money that a reorg may still revert. */
export function isWaiting(payment: Pick<AccountRow, 'status' | 'closedAt'> | undefined): boolean {
  if (payment?.status === 'confirming') return true;
  return payment?.closedAt === null && (payment.status === 'pending' || payment.status === 'underpaid');
}

/** A row for each unspent part of an address. */
export const unspentParts = prepared((db, param: ParamOf<{ id: number }>) =>
  db
    .selectFrom('outputs')
    .select(OUTPUT_COLUMNS)
    .where('addressId', '=', param('id'))
    .where('state', '=', sql.lit('confirmed'))
    .where('spentHeight', 'is', null),
);
