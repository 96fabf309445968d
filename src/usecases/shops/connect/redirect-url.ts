/** Hosts that lead to the browser's own machine, as the URL parser writes them. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Why the owner of a shop cannot be sent to a URL with a code; null when nothing speaks against it. */
export type RedirectRule = (url: string) => string | null;

/** @param allowLoopback whether plain http is taken for the machine the browser runs on */
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

/** A redirect URL with its answer; parameters of the same names are replaced, so that there is one of each. */
export function redirectWith(redirectUrl: string, answer: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUrl);
  for (const name of ['code', 'state', 'error']) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  return url.href;
}
