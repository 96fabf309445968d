/** Canonical form for comparing e-mail addresses: ignores letter case and Unicode composition. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/** The mailbox of an address: what stands after a `+` tells apart no mailboxes of most providers. */
export function mailboxKey(email: string): string {
  const key = emailKey(email);
  const at = key.lastIndexOf('@');
  return `${key.slice(0, at).replace(/(?<=.)\+.*$/, '')}${key.slice(at)}`;
}

/** An address as those see it who need not know all of it: `j…@example.org`. */
export function maskedEmail(email: string): string {
  const [first = ''] = email;
  return `${first}…${email.slice(email.lastIndexOf('@'))}`;
}
