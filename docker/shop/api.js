/** Error types in the unions of Vendure. */
export const problem = '... on ErrorResult { errorCode message }';

/** Calls one of Vendure's APIs; an error result throws with its message. */
export function api(path) {
  return async (query, variables = {}) => {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await answer.json();
    if (errors) throw new Error(errors[0].message);
    for (const result of Object.values(data)) {
      if (result?.errorCode) throw new Error(result.transitionError ?? result.message);
    }
    return data;
  };
}

/** Formats cents for readers. */
export function money(cents, currency) {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(cents / 100);
}

/** An element with text. */
export function element(name, text, more = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...more });
}
