import type { ExpressionBuilder } from 'kysely';
import type { OutputRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Tx } from '../sqlite/database.ts';
import type { Tables } from '../schema/tables.ts';

/** A condition on `outputs`: not frozen by the merchant. */
export function isNotFrozen(eb: ExpressionBuilder<Tables, 'outputs'>) {
  return eb.not(
    eb.exists(
      eb
        .selectFrom('frozen_outputs')
        .select('frozen_outputs.txid')
        .whereRef('frozen_outputs.coin', '=', 'outputs.coin')
        .whereRef('frozen_outputs.mode', '=', 'outputs.mode')
        .whereRef('frozen_outputs.txid', '=', 'outputs.txid')
        .whereRef('frozen_outputs.vout', '=', 'outputs.vout'),
    ),
  );
}

/** Freezes an output, so that no send uses it, or unfreezes it. Idempotent. */
export async function setFrozen(
  tx: Tx,
  { coin, mode }: ChainId,
  { ref, frozen, now }: { readonly ref: OutputRef; readonly frozen: boolean; readonly now: number },
): Promise<void> {
  const { txid, index: vout } = ref;
  if (frozen) {
    await tx
      .insertInto('frozen_outputs')
      .values({ coin, mode, txid, vout, frozenAt: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return;
  }
  await tx
    .deleteFrom('frozen_outputs')
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('txid', '=', txid)
    .where('vout', '=', vout)
    .execute();
}
