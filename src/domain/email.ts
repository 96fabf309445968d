/** Canonical form for comparing e-mail addresses: ignores letter case and Unicode composition. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
