import { ApiError } from './client.ts';

const STORED_AS = 'tilld.unanswered-orders';
/** Maximum number of stored orders without a response. */
const MOST = 50;

type Keys = readonly (readonly [order: string, key: string])[];

/** Used if the browser stores nothing. */
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
    // They live as long as the page.
  }
}

/**
 * Places an order that moves money at most once: the same order has the same Idempotency-Key until the server
 * has responded to it, because without a response it may have been executed. Neither closing the dialog nor
 * reloading the page changes that.
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
 * Rejected for good, by a response to the order itself: the next one is another order. All other errors prove
 * nothing about an earlier attempt: 401, 403 and 429 come before the key is checked, a conflict may be that
 * attempt, and a response in another form is from a proxy.
 */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.code !== 'UNREADABLE' && [400, 422].includes(error.status);
}
