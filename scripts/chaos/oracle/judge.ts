import type { Stage } from '../stage.ts';
import { TillDatabase } from '../till-database.ts';
import { judgeBalances } from './balances.ts';
import { judgeEvents } from './events.ts';
import { judgePayments } from './payments.ts';
import { judgeSends } from './sends.ts';
import type { Verdict, Violation } from './verdict.ts';

/** Compares the daemon's API, events and ledger with the chain. */
export async function judge(
  stage: Stage,
  rest: { readonly open: readonly string[]; readonly isHoled: boolean },
): Promise<Verdict> {
  const database = new TillDatabase(stage.till.dataDir);
  try {
    const violations: Violation[] = [
      ...(await judgeSends(stage, database)),
      ...(await judgePayments(stage, database, rest)),
      ...judgeBalances(stage, database),
      ...judgeEvents(stage, database),
      ...database
        .addressesGivenTwice()
        .map((address): Violation => ({ kind: 'address twice', what: address })),
    ];
    const events = database.events().map(({ type, payment_id, send_id, created_at }) => {
      return `${stage.history.at(created_at)} ${type} ${payment_id ?? send_id ?? ''}`;
    });
    if (rest.isHoled) return { violations, events, unknown: rest.open };
    const stuck = rest.open.map((what): Violation => ({ kind: 'stuck', what }));
    return { violations: [...violations, ...stuck], events, unknown: [] };
  } finally {
    database.close();
  }
}
