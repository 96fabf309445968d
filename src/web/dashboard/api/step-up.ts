import { useSyncExternalStore } from 'react';

/** The proof that the server requires before money moves. */
export type Proof = 'password' | 'code';

interface Asked {
  readonly proof: Proof;
  readonly answered: Promise<boolean>;
  readonly answer: (isProven: boolean) => void;
}

const listeners = new Set<() => void>();
let asked: Asked | null = null;

/** Asks for a step-up once for all requests that wait for one. @returns false if the user cancelled */
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

/** The pending step-up. */
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
