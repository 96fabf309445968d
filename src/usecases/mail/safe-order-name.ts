/** Letters and digits with common separators: nothing that could pass for a link or a sentence. */
const PLAIN = /^#?[\p{L}\p{N}][\p{L}\p{N} #_/-]{0,63}$/u;

/**
 * The name of an order in mails: its label, else its id. Both may come from anyone with the public key, so
 * only plain ones are repeated.
 * @param instead where neither is plain
 */
export function safeOrderName(
  { orderId, orderLabel }: { readonly orderId: string; readonly orderLabel: string | null },
  instead: string,
): string {
  return [orderLabel, orderId].find((name) => name !== null && PLAIN.test(name)) ?? instead;
}
