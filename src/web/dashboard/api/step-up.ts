import { useSyncExternalStore } from 'react';

/** The proof that the server requires before money moves. */
export type Proof = 'password' | 'code';

interface PendingStepUp {
  readonly proof: Proof;
  readonly answered: Promise<boolean>;
  readonly answer: (isProven: boolean) => void;
}

const listeners = new Set<() => void>();
let pending: PendingStepUp | null = null;

/** Asks for a step-up once for all requests that wait for one. @returns false if the user cancelled */
export async function askForProof(proof: Proof): Promise<boolean> {
  pending ??= question(proof);
  for (const listener of listeners) listener();
  return pending.answered;
}

function question(proof: Proof): PendingStepUp {
  const waiting: ((isProven: boolean) => void)[] = [];
  const answered = new Promise<boolean>((resolve) => waiting.push(resolve));
  const answer = (isProven: boolean): void => {
    pending = null;
    for (const listener of listeners) listener();
    for (const resolve of waiting) resolve(isProven);
  };
  return { proof, answered, answer };
}

/** The pending step-up. */
export function pendingStepUp(): PendingStepUp | null {
  return pending;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function usePendingStepUp(): PendingStepUp | null {
  return useSyncExternalStore(subscribe, pendingStepUp);
}
