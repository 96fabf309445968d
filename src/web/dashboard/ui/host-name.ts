/** The host name in typed or pasted text such as `https://Shop.example/`; text without one is unchanged. */
export function hostName(typed: string): string {
  const text = typed
    .replaceAll(/[\u200b\ufeff]/g, '')
    .trim()
    .toLowerCase();
  const address = text.includes('://') ? text : `https://${text}`;
  const { hostname = '' } = URL.parse(address) ?? {};
  const isMore = /[/?#:@]/.test(text);
  return isMore && hostname.includes('.') ? hostname : text;
}
