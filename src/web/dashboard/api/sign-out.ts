import { own } from './client.ts';
import { endSession } from './session.ts';

/** Ends the session on the server. Without its answer it may go on: then nothing changes here, and the page says so. */
export async function signOut(): Promise<void> {
  await own('DELETE /auth/session');
  endSession();
}
