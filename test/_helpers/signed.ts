/** The send or refund with its transaction. @throws {Error} when it is not signed yet. */
export function signed<T extends { readonly txHash: string | null }>(
  view: T,
): T & { readonly txHash: string } {
  const { txHash } = view;
  if (txHash === null) throw new Error('it has no transaction yet');
  return { ...view, txHash };
}
