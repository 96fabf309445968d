/** Canonical form for comparing e-mail addresses: ignores letter case and Unicode composition. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/** An address as those see it who need not know all of it: `j…@example.org`. */
export function maskedEmail(email: string): string {
  const [first = ''] = email;
  return `${first}…${email.slice(email.lastIndexOf('@'))}`;
}
