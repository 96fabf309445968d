/** Letters and digits, and what commonly stands between them: nothing that could pass for a link or a sentence. */
const PLAIN = /^#?[\p{L}\p{N}][\p{L}\p{N} #_/-]{0,63}$/u;

/**
 * What mails call an order: its label, else its id. Both may come from anybody who has the public key, so only plain ones
 * are repeated.
 * @param instead where neither is plain
 */
export function plainOrder(
  { orderId, orderLabel }: { readonly orderId: string; readonly orderLabel: string | null },
  instead: string,
): string {
  return [orderLabel, orderId].find((name) => name !== null && PLAIN.test(name)) ?? instead;
}
