import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/store/sqlite/database.ts';
import { findSendByKey, findSendByTxid } from '../../../src/store/sends/sends.ts';
import { findLabels, pageImportedLabels } from '../../../src/store/ledger/wallet-labels.ts';
import { findPsbtByTxid, listExpiredPsbts, listPsbtsSpending } from '../../../src/store/sends/send-psbts.ts';
import { stuckSends, signedSends, dueSends, unsignedSends } from '../../../src/store/sends/open-sends.ts';
import { spendableFunds } from '../../../src/store/ledger/spendable.ts';
import { sendsWithSurplus, reservedFunds } from '../../../src/store/ledger/reservations.ts';
import { filterMinedSpends, unconfirmedSpends } from '../../../src/store/ledger/spends.ts';
import { settledDeposits } from '../../../src/store/ledger/deposits.ts';
import { nonceGaps, loadNonceSequence } from '../../../src/store/sends/nonce-sequences.ts';
import { unsettledCredits } from '../../../src/store/ledger/outputs.ts';
import {
  sumDayFlows,
  sumForwarded,
  sumHeldMoney,
  sumOpenSends,
} from '../../../src/store/ledger/treasury-sums.ts';
import { confirmedHoldings } from '../../../src/store/ledger/holdings.ts';
import { pageWalletTransactions } from '../../../src/store/ledger/wallet-transactions.ts';
import { listLinksWithoutSend } from '../../../src/store/payments/refund-links.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { recordQueries } from '../../_helpers/recorded-queries.ts';

let db: Database;
const takeQueries = recordQueries();

beforeAll(async () => {
  ({ db } = await openDatabase(':memory:'));
});
afterAll(async () => db.close());

/** How SQLite finds the rows of the first query that the work makes. */
async function planOf(work: () => Promise<unknown>): Promise<string> {
  takeQueries();
  await work();
  const [query] = takeQueries();
  if (query === undefined) throw new Error('no query was made');
  const explain = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${query.sql}`, [...query.parameters]);
  const { rows } = await db.executeQuery<{ detail: string }>(explain);
  return rows.map(({ detail }) => detail).join('\n');
}

const chain = { coin: 'BTC', mode: 'live' } as const;
const wallet = { ...chain, merchantId: 'm' };
const page = { merchantId: 'm', mode: 'live', coin: null, direction: null, page: 1, limit: 10 } as const;

test.each([
  ['spendable money', 'outputs_spendable', async () => spendableFunds(db, wallet)],
  ['the reservations of a send', 'outputs_by_send', async () => reservedFunds(db, 's')],
  ['surplus reservations of sends', 'outputs_reserved', async () => sendsWithSurplus(db, chain, 1)],
  ['sends that are due', 'sends_open', async () => dueSends(db, chain, { now: 1, impossible: 9 }, 1)],
  ['sends not accepted yet', 'sends_open', async () => signedSends(db, chain, 1)],
  ['sends that are stuck', 'sends_open', async () => stuckSends(db, chain, { signedBefore: 1, now: 1 }, 1)],
  [
    'stuck sends after a cursor',
    'sends_open',
    async () => stuckSends(db, chain, { signedBefore: 1, now: 1, after: { createdAt: 1, id: 's' } }, 1),
  ],
  [
    'refund links through which money can leave',
    'refund_links_payable',
    async () => listLinksWithoutSend(db, { merchantId: 'm', mode: 'live' }),
  ],
  ['a send by its key', 'sends_idempotency', async () => findSendByKey(db, 'm', 'k')],
  ['a send by its hash', 'sqlite_autoindex_send_versions_2', async () => findSendByTxid(db, 'm', 't')],
  ['spends without a block', 'outputs_spent_unconfirmed', async () => unconfirmedSpends(db, chain)],
  [
    'spends of known outputs',
    'sqlite_autoindex_outputs_1',
    async () => filterMinedSpends(db, chain, [{ txid: 't', index: 0 }]),
  ],
  [
    'the balance of an address',
    'outputs_by_address',
    async () => spendableFunds(db, { ...wallet, from: 'a' }),
  ],
  ['the balances of accounts', 'outputs_by_address', async () => confirmedHoldings(db, chain, ['k'])],
  [
    'deposits to sweep',
    'outputs_held',
    async () => settledDeposits(db, chain, { height: 1, failedBefore: 1, now: 2 }),
  ],
  [
    'the sends of an account',
    'sends_by_lane',
    async () => loadNonceSequence(db, { ...chain, address: 'a', fromNonce: 0 }),
  ],
  ['nonces for which sends wait', 'sends_open', async () => nonceGaps(db, chain, 1)],
  ['unconfirmed transactions', 'outputs_unconfirmed', async () => unsettledCredits(db, chain)],
  ['the wallet transactions', 'outputs_by_merchant', async () => pageWalletTransactions(db, page)],
  ['a PSBT by its transaction', 'send_psbts_by_txid', async () => findPsbtByTxid(db, chain, 't')],
  ['PSBTs that expired', 'send_psbts_open', async () => listExpiredPsbts(db, chain, 1, 1)],
  [
    'PSBTs that spend an output',
    'PRIMARY KEY (coin=? AND mode=? AND txid=? AND vout=?)',
    async () => listPsbtsSpending(db, chain, { txid: 't', index: 0 }, 1),
  ],
  ['sends that wait for a signature', 'sends_preparing', async () => unsignedSends(db, chain, 1)],
  [
    'labels of references',
    'PRIMARY KEY (merchant_id=? AND coin=? AND mode=? AND kind=? AND ref=?)',
    async () => findLabels(db, wallet, { kind: 'addr', refs: ['a', 'b'] }),
  ],
  [
    'imported labels after another one',
    'PRIMARY KEY (merchant_id=? AND coin=? AND mode=? AND (kind,ref)>(?,?))',
    async () => pageImportedLabels(db, wallet, { after: { kind: 'addr', ref: 'a' }, limit: 1 }),
  ],
])('the query of %s uses the index %s, however long the history is', async (_what, index, work) => {
  const plan = await planOf(work);
  expect(plan).toContain(` ${index}`);
  expect(plan).not.toMatch(/SCAN (outputs|sends|send_versions|send_psbts|wallet_labels|addresses)/);
});

test('the sums of the treasury read the money of a wallet by indexes, and its lines of the books by day', async () => {
  const plan = await planOf(async () => sumHeldMoney(db, wallet));
  for (const index of ['outputs_reserved', 'outputs_spent_unconfirmed', 'outputs_unconfirmed'])
    expect(plan).toContain(`SEARCH outputs USING INDEX ${index} (coin=? AND mode=?`);
  expect(plan).toContain(
    'SEARCH outputs USING COVERING INDEX outputs_spendable (merchant_id=? AND coin=? AND mode=?',
  );
  const open = await planOf(async () => sumOpenSends(db, wallet));
  for (const index of ['sends_open', 'sends_preparing'])
    expect(open).toContain(`SEARCH sends USING INDEX ${index} (coin=? AND mode=?)`);
  expect(await planOf(async () => sumForwarded(db, wallet, 1))).toContain(
    'SEARCH sends USING INDEX sends_forwarded (merchant_id=? AND mode=? AND coin=? AND created_at>?)',
  );
  const days = await planOf(async () =>
    sumDayFlows(db, { merchantId: 'm', mode: 'live', bounds: [1, 2, 3] }),
  );
  expect(days).toContain(
    'SEARCH line USING INDEX movements_by_merchant (merchant_id=? AND mode=? AND at>? AND at<?)',
  );
  expect(days).toContain('SEARCH original USING INTEGER PRIMARY KEY (rowid=?)');
});
