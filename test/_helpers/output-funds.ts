import { OUTPUTS_PER_SEND } from '../../src/domain/accounts.ts';
import type { OutputFunds } from '../../src/domain/chain.ts';

/** Money in outputs, on a chain that says of them what a test does. */
export function outputFunds(
  scanUnspent: OutputFunds['scanUnspent'],
  inputCost: OutputFunds['inputCost'] = () => 0n,
): OutputFunds {
  return { model: 'outputs', mostInputs: OUTPUTS_PER_SEND, inputCost, scanUnspent };
}
