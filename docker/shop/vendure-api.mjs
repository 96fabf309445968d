/** Vendure's Admin API as one signed-in session. */
export class VendureApi {
  #url;
  #token = null;

  constructor(url) {
    this.#url = url;
  }

  async login(username, password) {
    const { login } = await this.ask(
      'mutation ($username: String!, $password: String!) { login(username: $username, password: $password) { __typename ... on ErrorResult { message } } }',
      { username, password },
    );
    if (login.message !== undefined) throw new Error(`signing in to Vendure: ${login.message}`);
  }

  async ask(query, variables = {}) {
    const answer = await fetch(this.#url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }),
      },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(30_000),
    });
    this.#token = answer.headers.get('vendure-auth-token') ?? this.#token;
    const { data, errors } = await answer.json();
    if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join('; '));
    return data;
  }
}
