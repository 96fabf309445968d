/** Canonical form for comparing e-mail addresses: ignores letter case and Unicode composition. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/** Only a plausibility check; a mail proves the address. */
const EMAIL = /^[^\s@"(),:;<>[\]\\]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/;
const LONGEST_EMAIL = 254;

export function isPlausibleEmail(text: string): boolean {
  return text.length <= LONGEST_EMAIL && !text.includes('\0') && text.isWellFormed() && EMAIL.test(text);
}

/**
 * The mailbox of an address, for rate limits: the largest providers ignore dots and everything after a `+`,
 * and fold letter variants. Merging two mailboxes into one limit does less harm than giving one mailbox
 * several.
 */
export function normalizedMailbox(email: string): string {
  const key = emailKey(email.normalize('NFKC'));
  const at = key.lastIndexOf('@');
  const local = key
    .slice(0, at)
    .replace(/(?<=.)\+.*$/, '')
    .replaceAll('.', '');
  const domain = key.slice(at + 1);
  return `${local}@${URL.parse(`https://${domain}`)?.hostname ?? domain}`;
}

/** An address with most of it hidden, for readers who need not see all of it: `j…@example.org`. */
export function maskedEmail(email: string): string {
  const [first = ''] = email;
  return `${first}…${email.slice(email.lastIndexOf('@'))}`;
}
