/** Speaks with one of Vendure's APIs, as one session. */
export class GraphQl {
  readonly #url: string;
  #token: string | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async ask<T>(query: string, variables: Record<string, unknown> = {}): Promise<T> {
    const answer = await fetch(this.#url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }),
      },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(60_000),
    });
    this.#token = answer.headers.get('vendure-auth-token') ?? this.#token;
    const { data, errors } = (await answer.json()) as { data: T; errors?: { message: string }[] };
    if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join('; '));
    return data;
  }

  /** As ask, of a mutation that answers a union: an error in it throws. */
  async must(query: string, variables: Record<string, unknown> = {}): Promise<void> {
    const data = await this.ask<Record<string, { message?: string; transitionError?: string }>>(
      query,
      variables,
    );
    for (const result of Object.values(data)) {
      if (result.message === undefined) continue;
      throw new Error(result.transitionError ?? result.message);
    }
  }

  async login(username: string, password: string): Promise<void> {
    await this.must(
      'mutation ($username: String!, $password: String!) { login(username: $username, password: $password) { __typename ... on ErrorResult { message } } }',
      { username, password },
    );
  }
}
