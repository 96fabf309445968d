/**
 * An order id as mails repeat it. It may come from anybody who has the public key: only what cannot pass for a link or a
 * text is repeated.
 */
export function plainOrder(orderId: string, instead: string): string {
  return /^[\p{L}\p{N}][\p{L}\p{N} #_/-]{0,63}$/u.test(orderId) ? orderId : instead;
}
