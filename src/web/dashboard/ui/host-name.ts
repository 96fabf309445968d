/** The host name in what is typed or pasted for one, such as `https://Shop.example/`; what holds none stays as it is. */
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
