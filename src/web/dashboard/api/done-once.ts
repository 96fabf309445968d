import { ApiError } from './client.ts';

const STORED_AS = 'tilld.unanswered-orders';
/** So many orders without an answer are remembered; nobody has more in one tab. */
const MOST = 50;

type Keys = readonly (readonly [order: string, key: string])[];

/** Used where the browser keeps nothing. */
let inMemory: Keys = [];

function readKeys(): Keys {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(STORED_AS) ?? '[]');
    return Array.isArray(kept) ? (kept as Keys) : [];
  } catch {
    return inMemory;
  }
}

function writeKeys(keys: Keys): void {
  inMemory = keys.slice(-MOST);
  try {
    if (inMemory.length === 0) sessionStorage.removeItem(STORED_AS);
    else sessionStorage.setItem(STORED_AS, JSON.stringify(inMemory));
  } catch {
    // They last as long as the page.
  }
}

/**
 * Places an order that moves money so that it is done once: the same order has the same Idempotency-Key until the server
 * has answered it, because without an answer it may have been done. Neither closing the dialog nor loading the page again
 * changes anything in that.
 */
export async function doneOnce<T>(order: object, place: (idempotencyKey: string) => Promise<T>): Promise<T> {
  const text = JSON.stringify(order);
  const known = readKeys().find(([one]) => one === text);
  const key = known?.[1] ?? crypto.randomUUID();
  if (known === undefined) writeKeys([...readKeys(), [text, key]]);
  const forget = (): void => writeKeys(readKeys().filter(([one]) => one !== text));
  try {
    const answer = await place(key);
    forget();
    return answer;
  } catch (error) {
    if (isRefused(error)) forget();
    throw error;
  }
}

/**
 * Refused for good, by an answer to the order itself: what comes then is another order. Everything else says nothing of
 * an earlier attempt: who asks was not believed (401, 403) or not heard (429) before the key was looked at, a conflict may
 * be that attempt, and what is not in the terms of the API is of a proxy.
 */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.code !== 'UNREADABLE' && [400, 422].includes(error.status);
}
