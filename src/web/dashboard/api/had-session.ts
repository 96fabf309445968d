/** Records that a user was signed in, to distinguish an expired session from a first visit. */
const WAS_IN = 'tilld.signed-in';

/** A browser that stores nothing rejects this too. */
export function rememberSession(isIn: boolean): void {
  try {
    if (isIn) localStorage.setItem(WAS_IN, 'yes');
    else localStorage.removeItem(WAS_IN);
  } catch {
    // Without it an expired session looks like a first visit.
  }
}

export function hadSession(): boolean {
  try {
    return localStorage.getItem(WAS_IN) !== null;
  } catch {
    return false;
  }
}
