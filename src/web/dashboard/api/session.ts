import { useSyncExternalStore } from 'react';
import type { User } from '../contract/types.ts';

/**
 * Who is signed in. What proves it is a cookie that no script can read; here is only what the server said of its user.
 * All tabs and windows of a browser share it, and tell each other when it begins and ends.
 */
export interface Session {
  readonly user: User;
}

/** What one tab tells the others. */
type News = { readonly signedIn: string } | { readonly signedIn: null };

/** That somebody was signed in, so that a session which ran out meanwhile is told from a first visit. */
const WAS_IN = 'tilld.signed-in';

const listeners = new Set<() => void>();
const channel = new BroadcastChannel('tilld.session');
let endedByItself = false;
let lost: Session | null = null;
let current: Session | null = null;
let isLeaving = false;

function change(next: Session | null): void {
  current = next;
  remember(next !== null);
  for (const listener of listeners) listener();
}

/** A browser that keeps nothing refuses this too. */
function remember(isIn: boolean): void {
  try {
    if (isIn) localStorage.setItem(WAS_IN, 'yes');
    else localStorage.removeItem(WAS_IN);
  } catch {
    // Then a session that ran out looks like a first visit.
  }
}

function wasIn(): boolean {
  try {
    return localStorage.getItem(WAS_IN) !== null;
  } catch {
    return false;
  }
}

function tell(news: News): void {
  channel.postMessage(news);
}

/** At the start of a page: the session that the browser already has; null when it has none. */
export function resumeSession(found: Session | null): void {
  endedByItself = found === null && wasIn();
  change(found);
}

/** Somebody signed in here. */
export function startSession({ user }: Session): void {
  endedByItself = false;
  lost = null;
  change({ user });
  tell({ signedIn: user.id });
}

/**
 * Ends the session by what the user asked for: the other tabs follow. What the page reads meanwhile may be refused
 * before the answer is here; that is no session lost.
 * @param end has the server end it; when that fails the session goes on
 */
export async function leaveSession(end: () => Promise<unknown>): Promise<void> {
  isLeaving = true;
  try {
    await end();
  } finally {
    isLeaving = false;
  }
  forget();
  tell({ signedIn: null });
}

/**
 * The server takes the cookie no longer: the sign-in says so, and the page stands as it was.
 * @param refused the session in which the refused request was sent; another one has begun since, or it is being left
 */
export function loseSession(refused: Session | null): void {
  if (current === null || current !== refused || isLeaving) return;
  endedByItself = true;
  lost = current;
  change(null);
}

function forget(): void {
  endedByItself = false;
  lost = null;
  change(null);
}

/** Follows what other tabs do. @param resume asks the server who is signed in */
export function followOtherTabs(resume: () => Promise<Session | null>): void {
  channel.addEventListener('message', ({ data }: MessageEvent<News>) => {
    const known = current ?? lost;
    if (data.signedIn === null) forget();
    // Another person's pages must not stay in view.
    else if (known !== null && known.user.id !== data.signedIn) window.location.assign('/dashboard');
    else if (current === null) void resume().then(goOn);
  });
}

function goOn(found: Session | null): void {
  if (found === null || current !== null) return;
  endedByItself = false;
  lost = null;
  change(found);
}

export function session(): Session | null {
  return current;
}

export function hasSessionRunOut(): boolean {
  return endedByItself;
}

/** The session that ran out while its page was open: the page and what was typed in it still stand. */
export function lostSession(): Session | null {
  return lost;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useSession(): Session | null {
  return useSyncExternalStore(subscribe, session);
}
