import { ApiClient, type ApiAnswer } from './api-client.ts';

/** The cookie that an answer sets, as `name=value`, and its attributes. */
export interface SetCookie {
  readonly pair: string;
  readonly value: string;
  readonly attributes: readonly string[];
}

export function cookieOf({ headers }: { readonly headers: Headers }): SetCookie | null {
  const [header] = headers.getSetCookie();
  if (header === undefined) return null;
  const [pair = '', ...attributes] = header.split('; ');
  return { pair, value: pair.slice(pair.indexOf('=') + 1), attributes };
}

/** Speaks HTTP with a till as a page of its dashboard in a browser. */
export class SessionClient {
  readonly api: ApiClient;
  /** What the browser sends back; empty when signed out. */
  cookie: string;

  constructor(baseUrl: string, cookie = '') {
    this.api = new ApiClient(baseUrl);
    this.cookie = cookie;
  }

  /** Headers of a page of the till itself. */
  static readonly OWN_PAGE = { 'x-tilld-dashboard': '1', 'sec-fetch-site': 'same-origin' } as const;

  static async signIn(
    baseUrl: string,
    body: { email: string; password: string; code?: string },
    headers: Record<string, string> = {},
  ): Promise<SessionClient> {
    const client = new SessionClient(baseUrl);
    const { status, body: answer } = await client.call('POST', '/auth/session', body, headers);
    if (status !== 200) throw new Error(`signing in answered ${status}: ${JSON.stringify(answer.error)}`);
    return client;
  }

  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<T>> {
    const answer = await this.raw<T>(method, path, body, { ...SessionClient.OWN_PAGE, ...headers });
    const set = cookieOf(answer);
    if (set !== null) this.cookie = set.value === '' ? '' : set.pair;
    return answer;
  }

  /** With the cookie, as every request of the browser, and no other header than those given. */
  async raw<T = Record<string, unknown>>(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<ApiAnswer<T>> {
    const cookie: Record<string, string> = this.cookie === '' ? {} : { cookie: this.cookie };
    return this.api.call<T>(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: { ...cookie, ...headers },
    });
  }
}
