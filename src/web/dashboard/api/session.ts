import { useSyncExternalStore } from 'react';
import { SESSION_KEY as KEY } from '../../session-key.ts';
import type { SessionAnswer, User } from './types.ts';

/** Who is signed in. It lives as long as the tab: sessionStorage, never an address, never a cookie. */
export interface Session {
  readonly token: string;
  readonly expiresAt: string;
  readonly user: User;
}

const listeners = new Set<() => void>();
let timer: number | undefined;
let endedByItself = false;
let lost: Session | null = null;
let current = restore();

function restore(): Session | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Session | null;
    endedByItself = stored !== null && Date.parse(stored.expiresAt) <= Date.now();
    return endedByItself ? null : stored;
  } catch {
    return null;
  }
}

function change(next: Session | null): void {
  current = next;
  window.clearTimeout(timer);
  if (next === null) sessionStorage.removeItem(KEY);
  else {
    sessionStorage.setItem(KEY, JSON.stringify(next));
    timer = window.setTimeout(() => endSession(true), Date.parse(next.expiresAt) - Date.now());
  }
  for (const listener of listeners) listener();
}

if (current !== null) change(current);

export function startSession({ token, expiresAt, user }: SessionAnswer): void {
  endedByItself = false;
  lost = null;
  change({ token, expiresAt, user });
}

/** @param byItself the token ran out or was refused: the sign-in page says so */
export function endSession(byItself = false): void {
  endedByItself = byItself && current !== null;
  lost = endedByItself ? current : null;
  change(null);
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
