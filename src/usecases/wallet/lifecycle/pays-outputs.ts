import type { ChainAdapter, Spender } from '../../../domain/chain.ts';
import { splitAmount, type SendOutput } from '../../../domain/send/outputs.ts';
import { readOutputs } from '../../../store/sends/send-outputs.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';

/** What each of several recipients of a send receives of an amount; none where there is one recipient. */
export function splitOutputs(send: Pick<StoredSend, 'outputsJson'>, amount: bigint): SendOutput[] {
  return splitAmount(readOutputs(send) ?? [], amount);
}

/**
 * Whether a transaction pays each of these destinations its amounts: an output for each, used once, or outputs that
 * together pay exactly their sum.
 */
export function paysOutputs(
  pays: Spender['pays'],
  outputs: readonly SendOutput[],
  adapter: Pick<ChainAdapter, 'watchKey'>,
): boolean {
  const paid = Map.groupBy(pays, ({ watchKey }) => watchKey);
  const wanted = Map.groupBy(outputs, ({ destination }) => adapter.watchKey(destination));
  return [...wanted].every(([watchKey, amounts]) => {
    const found = (paid.get(watchKey) ?? []).map(({ amount }) => amount);
    const asked = amounts.map(({ amount }) => amount);
    return sum(found) === sum(asked) || contains(found, asked);
  });
}

function contains(found: readonly bigint[], asked: readonly bigint[]): boolean {
  const unused = [...found];
  return asked.every((amount) => {
    const at = unused.indexOf(amount);
    if (at >= 0) unused.splice(at, 1);
    return at >= 0;
  });
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
