/** Moving money within the wallet is worth it when the fee is at most a twentieth of it. */
const LEAST_MULTIPLE_OF_FEE = 20n;

/** Whether moving `total` atoms, fee included, is worth that fee. A sweep is not urgent: fees may fall again. */
export function isWorthItsFee(total: bigint, fee: bigint): boolean {
  return fee * LEAST_MULTIPLE_OF_FEE <= total;
}
