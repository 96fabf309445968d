/** Sends that pay several recipients in one transaction, where money is held in outputs. */

/** Maximum number of recipients of one send. */
export const MAX_SEND_OUTPUTS = 100;

/** One recipient and its amount, atoms. The same destination may occur several times. */
export interface SendOutput {
  readonly destination: string;
  readonly amount: bigint;
}

/** Atoms. */
export function sumOutputs(outputs: readonly SendOutput[]): bigint {
  return outputs.reduce((sum, { amount }) => sum + amount, 0n);
}

/**
 * What each recipient receives of an amount that is less than the sum of what was ordered: each pays the same share of
 * the difference, and the first one also the remainder of the division, as with `subtractFeeFromOutputs` of Bitcoin
 * Core. The sum of the result is exactly `amount`; a recipient whose share exceeds its amount has a negative one.
 * @param amount of all recipients together, atoms
 */
export function splitAmount(outputs: readonly SendOutput[], amount: bigint): SendOutput[] {
  const missing = sumOutputs(outputs) - amount;
  const share = missing / BigInt(outputs.length);
  const rest = missing - share * BigInt(outputs.length);
  return outputs.map((output, at) => ({
    destination: output.destination,
    amount: output.amount - share - (at === 0 ? rest : 0n),
  }));
}

/**
 * What each recipient of a send receives. @param send `amount`: of all of them, atoms; `outputs`: as ordered, null
 * where there is one
 */
export function receivedOutputs(send: {
  readonly destination: string;
  readonly amount: bigint;
  readonly outputs?: readonly SendOutput[] | null | undefined;
}): SendOutput[] {
  const { destination, amount, outputs = null } = send;
  return outputs === null ? [{ destination, amount }] : splitAmount(outputs, amount);
}
