/** Shows the server that a request comes from a page of its own: no other site can send this along with the cookie. */
export const PAGE_HEADERS = { 'X-Tilld-Dashboard': '1' };
