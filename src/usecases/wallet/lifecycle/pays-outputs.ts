import type { ChainAdapter, Spender } from '../../../domain/chain.ts';
import { splitAmount, type SendOutput } from '../../../domain/send/outputs.ts';
import { readOutputs } from '../../../store/sends/send-outputs.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';

/** What each of several recipients of a send receives of an amount; none where there is one recipient. */
export function splitOutputs(send: Pick<StoredSend, 'outputsJson'>, amount: bigint): SendOutput[] {
  return splitAmount(readOutputs(send) ?? [], amount);
}

/** Whether a transaction has an output for each of these: the same destination and amount, each output used once. */
export function paysOutputs(
  pays: Spender['pays'],
  outputs: readonly SendOutput[],
  adapter: Pick<ChainAdapter, 'watchKey'>,
): boolean {
  const unused = new Map<string, number>();
  for (const { watchKey, amount } of pays) {
    const paid = paymentKey(watchKey, amount);
    unused.set(paid, (unused.get(paid) ?? 0) + 1);
  }
  return outputs.every(({ destination, amount }) => {
    const wanted = paymentKey(adapter.watchKey(destination), amount);
    const left = unused.get(wanted) ?? 0;
    unused.set(wanted, left - 1);
    return left > 0;
  });
}

function paymentKey(watchKey: string | null, amount: bigint): string {
  return `${watchKey ?? ''} ${amount}`;
}
