import { ApiError, requestPrivate } from './client.ts';
import { leaveSession } from './session.ts';

/**
 * Ends the session on the server. Without its response the session may continue: then nothing changes here,
 * and the page says so.
 */
export async function signOut(): Promise<void> {
  await leaveSession(async () => {
    try {
      await requestPrivate('DELETE /auth/session');
    } catch (error) {
      // It had already expired.
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
    }
  });
}

/** Ends every session and user token of the user, this one too. */
export async function signOutEverywhere(): Promise<void> {
  await leaveSession(async () => requestPrivate('DELETE /auth/sessions'));
}
