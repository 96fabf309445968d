import { ApiError } from './client.ts';

const keys = new Map<string, string>();

/**
 * Places an order that moves money so that it is done once: the same order has the same Idempotency-Key until the server
 * has answered it, because without an answer it may have been done. Closing and opening the dialog changes nothing in that.
 */
export async function doneOnce<T>(order: object, place: (idempotencyKey: string) => Promise<T>): Promise<T> {
  const text = JSON.stringify(order);
  const key = keys.get(text) ?? crypto.randomUUID();
  keys.set(text, key);
  try {
    const answer = await place(key);
    keys.delete(text);
    return answer;
  } catch (error) {
    if (isRefused(error)) keys.delete(text);
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
