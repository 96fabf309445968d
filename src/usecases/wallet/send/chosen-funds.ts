import { outputKey, type Ancestry, type Fund, type OutputRef } from '../../../domain/chain.ts';
import { invalidField } from '../../../domain/errors.ts';
import { findFunds } from '../../../store/ledger/funds.ts';
import { findWalletOutputs } from '../../../store/ledger/wallet-outputs.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { loadAncestry } from '../lifecycle/ancestry.ts';
import { findHold, type OutputHold, readHoldFacts } from '../output-hold.ts';
import type { SendOrder } from './send-order.ts';

/** Why an output cannot be chosen. Dust can: the order accepts its fee. */
const REFUSALS: Readonly<Record<Exclude<OutputHold, 'dust'>, string>> = {
  frozen: 'is frozen: unfreeze it first',
  reserved: 'is reserved by another send',
  spending: 'is being spent by a transaction that was not made here',
  unconfirmed: 'is not confirmed yet',
  immature: 'needs more confirmations',
  watched: 'is on a watched account: spend it with the wallet that has its keys',
};

/**
 * The outputs that an order chose, in its order. Unconfirmed change of own sends may be among them.
 * @throws {AppError} VALIDATION_INVALID naming the input that a send may not use now
 */
export async function chosenFunds(
  db: Db,
  order: SendOrder,
  inputs: readonly OutputRef[],
): Promise<{ readonly funds: readonly Fund[]; readonly ancestry: Ancestry }> {
  const rows = await findWalletOutputs(db, order, inputs);
  const byKey = new Map(rows.map((row) => [outputKey({ txid: row.txid, index: row.vout }), row]));
  const facts = await readHoldFacts(db, order);
  for (const [at, ref] of inputs.entries()) {
    const row = byKey.get(outputKey(ref));
    if (row === undefined) throw invalidField(`inputs.${at}`, 'is not an unspent output of this wallet');
    const hold = findHold(row, facts);
    if (hold !== null && hold !== 'dust') throw invalidField(`inputs.${at}`, REFUSALS[hold], hold);
  }
  const found = new Map((await findFunds(db, order, inputs)).map(({ fund }) => [outputKey(fund.ref), fund]));
  const funds = inputs.flatMap((ref) => found.get(outputKey(ref)) ?? []);
  return { funds, ancestry: await loadAncestry(db, order, funds) };
}
