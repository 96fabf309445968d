/** Canonical form for comparing e-mail addresses: ignores letter case and Unicode composition. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/**
 * The mailbox of an address, for limits: the widest providers ignore points and what stands after a `+`, and fold forms
 * of a letter. Two mailboxes with the same key share a limit, which harms less than one mailbox with many.
 */
export function mailboxKey(email: string): string {
  const key = emailKey(email.normalize('NFKC'));
  const at = key.lastIndexOf('@');
  const local = key
    .slice(0, at)
    .replace(/(?<=.)\+.*$/, '')
    .replaceAll('.', '');
  const domain = key.slice(at + 1);
  return `${local}@${URL.parse(`https://${domain}`)?.hostname ?? domain}`;
}

/** An address as those see it who need not know all of it: `j…@example.org`. */
export function maskedEmail(email: string): string {
  const [first = ''] = email;
  return `${first}…${email.slice(email.lastIndexOf('@'))}`;
}
