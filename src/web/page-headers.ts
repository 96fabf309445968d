/** Identifies a request from a page of this server: no other site can send this header with the cookie. */
export const PAGE_HEADERS = { 'X-Tilld-Dashboard': '1' };
