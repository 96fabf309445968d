/** The form in which two e-mail addresses are the same: letter case and Unicode composition do not count. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
