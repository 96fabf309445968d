import { useSyncExternalStore } from 'react';

/** What this browser does when a payment is seen or paid; kept in the browser. */
export interface LiveChoice {
  readonly sound: boolean;
  readonly notification: boolean;
}

const STORED_AS = 'tilld.live-moments';
const OFF: LiveChoice = { sound: false, notification: false };
const listeners = new Set<() => void>();
let current: LiveChoice | null = null;

function stored(): LiveChoice {
  try {
    const words = (localStorage.getItem(STORED_AS) ?? '').split(' ');
    return { sound: words.includes('sound'), notification: words.includes('notification') };
  } catch {
    return OFF;
  }
}

function read(): LiveChoice {
  return (current ??= stored());
}

export function setLiveChoice(change: Partial<LiveChoice>): void {
  current = { ...read(), ...change };
  const words = Object.entries(current).flatMap(([name, isOn]) => (isOn ? [name] : []));
  try {
    localStorage.setItem(STORED_AS, words.join(' '));
  } catch {
    // Without storage the choice holds until the page is left.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useLiveChoice(): LiveChoice {
  return useSyncExternalStore(subscribe, read);
}
