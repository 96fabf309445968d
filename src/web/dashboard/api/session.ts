import { useSyncExternalStore } from 'react';
import type { User } from '../contract/types.ts';
import { BASE_PATH } from '../../base-path.ts';
import { clearPrefetched } from './prefetch.ts';
import { rememberSession, hadSession } from './had-session.ts';

/**
 * The signed-in user. The credential is a cookie that no script can read; this holds only the user that the
 * server returned. All tabs and windows of a browser share the session, and notify each other when it begins
 * and ends.
 */
export interface Session {
  readonly user: User;
}

/** Messages between tabs. */
type News = { readonly signedIn: string } | { readonly signedIn: null };

const listeners = new Set<() => void>();
const channel = new BroadcastChannel('tilld.session');
let endedByItself = false;
let lost: Session | null = null;
let current: Session | null = null;
let isLeaving = false;

function change(next: Session | null): void {
  // Early answers of a page load are those of the user that it found.
  if (current !== null || next === null) clearPrefetched();
  current = next;
  rememberSession(next !== null);
  for (const listener of listeners) listener();
}

function tell(news: News): void {
  channel.postMessage(news);
}

/** At the start of a page: the existing session of the browser; null if there is none. */
export function resumeSession(found: Session | null): void {
  endedByItself = found === null && hadSession();
  change(found);
}

/** A user signed in in this tab. */
export function startSession({ user }: Session): void {
  endedByItself = false;
  lost = null;
  change({ user });
  tell({ signedIn: user.id });
}

/**
 * Ends the session at the user's request; the other tabs follow. Requests of the page that are rejected
 * meanwhile do not count as an expired session.
 * @param end makes the server end it; if that fails the session continues
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
 * The server rejected the cookie: the sign-in says so, and the page stays unchanged.
 * @param refused the session of the rejected request; a newer one may have begun since, or the user is
 * signing out
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

/** Follows other tabs. @param resume requests the signed-in user from the server */
export function followOtherTabs(resume: () => Promise<Session | null>): void {
  channel.addEventListener('message', ({ data }: MessageEvent<News>) => {
    const known = current ?? lost;
    if (data.signedIn === null) forget();
    // Another user's pages must not stay visible.
    else if (known !== null && known.user.id !== data.signedIn)
      window.location.assign(`${BASE_PATH}/dashboard`);
    else if (current === null) void resume().then(continueSession);
  });
}

function continueSession(found: Session | null): void {
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

/** The session that expired while its page was open: the page and its input are still there. */
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
