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

/** Refused for good: what comes then is another order. A conflict says that the first attempt is still under way. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 409;
}
