import { useSyncExternalStore } from 'react';

/** What the server wants before money moves. */
export type Proof = 'password' | 'code';

interface Asked {
  readonly proof: Proof;
  readonly answered: Promise<boolean>;
  readonly answer: (isProven: boolean) => void;
}

const listeners = new Set<() => void>();
let asked: Asked | null = null;

/** Lets the dialog ask for a proof, once for all requests that wait for one. @returns false when nobody gave it */
export async function askForProof(proof: Proof): Promise<boolean> {
  asked ??= question(proof);
  for (const listener of listeners) listener();
  return asked.answered;
}

function question(proof: Proof): Asked {
  const waiting: ((isProven: boolean) => void)[] = [];
  const answered = new Promise<boolean>((resolve) => waiting.push(resolve));
  const answer = (isProven: boolean): void => {
    asked = null;
    for (const listener of listeners) listener();
    for (const resolve of waiting) resolve(isProven);
  };
  return { proof, answered, answer };
}

/** The question that waits for an answer. */
export function askedProof(): Asked | null {
  return asked;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useAskedProof(): Asked | null {
  return useSyncExternalStore(subscribe, askedProof);
}
