/** Hosts that point to the browser's own machine, as the URL parser writes them. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Why the owner of a shop cannot be redirected to a URL with a code; null when the URL is allowed. */
export type RedirectRule = (url: string) => string | null;

/** @param allowLoopback whether plain http is accepted for the browser's own machine */
export function redirectRule(allowLoopback: boolean): RedirectRule {
  return (text) => {
    const url = URL.parse(text);
    if (url === null || text.includes('#')) return 'must be a URL without a fragment';
    if (url.username !== '' || url.password !== '') return 'must not carry a user name or password';
    if (url.protocol === 'https:') return null;
    const isLoopback = url.protocol === 'http:' && LOOPBACK.test(url.hostname);
    if (isLoopback && allowLoopback) return null;
    return allowLoopback ? 'must be https, or http on this machine (localhost)' : 'must be https';
  };
}

/** A redirect URL with the response; replaces parameters of the same names, so that each occurs once. */
export function redirectWith(redirectUrl: string, answer: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUrl);
  for (const name of ['code', 'state', 'error']) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  return url.href;
}
