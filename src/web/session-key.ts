/** Where the dashboard keeps who is signed in, for as long as the tab lives. */
export const SESSION_KEY = 'tilld.session';
