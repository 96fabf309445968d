import { addCopyButtons } from './copy.ts';
import { element } from './element.ts';
import { ask, assertSandbox, NotNow, ownIds, isSignedIn, sandboxShops, type Shop } from './sandbox-api.ts';
import { askedProof, stepUpForm } from './step-up.ts';
import { BASE_PATH } from '../base-path.ts';

/** An operation as described in the page. */
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string | null;
}

/** Adds a form to each operation that may be tried: for shops in sandbox mode, as the dashboard's user. */
export function addTryIt(): void {
  for (const article of document.querySelectorAll<HTMLElement>('article[data-try]')) {
    const { try: target = '', query = '', body = null } = article.dataset;
    const [method = '', path = ''] = target.split(' ');
    const button = element(
      'button',
      { type: 'button', class: 'try', 'aria-expanded': 'false' },
      'Try it in the sandbox',
    );
    const place = element('div', { class: 'try-it' }, button);
    article.querySelector('.samples .languages')?.after(place);
    button.addEventListener('click', () => void toggle(place, button, { method, path, query, body }));
  }
}

async function toggle(place: HTMLElement, button: HTMLButtonElement, operation: Operation): Promise<void> {
  const open = button.getAttribute('aria-expanded') !== 'true';
  button.setAttribute('aria-expanded', String(open));
  button.nextElementSibling?.remove();
  if (!open) return;
  const panel = element('div', { class: 'panel' }, element('p', {}, 'Looking for your shops …'));
  place.append(panel);
  try {
    panel.replaceChildren(await content(operation));
  } catch (error) {
    panel.replaceChildren(note(words(error)));
  }
}

async function content(operation: Operation): Promise<HTMLElement> {
  if (!(await isSignedIn())) {
    const link = element('a', { href: `${BASE_PATH}/dashboard` }, 'Sign in to the dashboard');
    return element('p', {}, link, ' and come back: requests are made as you, in the sandbox only.');
  }
  const shops = await sandboxShops();
  const [first] = shops;
  if (first === undefined)
    return note('None of your shops is in sandbox mode, and nothing is tried with real money.');
  return form(operation, shops, await ownIds(first.id));
}

function form(
  operation: Operation,
  shops: readonly Shop[],
  ids: Readonly<Record<string, string>>,
): HTMLElement {
  const shop = element(
    'select',
    { name: 'shop' },
    ...shops.map(({ id, name }) => element('option', { value: id }, name)),
  );
  const query = element('input', {
    name: 'query',
    value: withOwn(operation.query, ids),
    spellcheck: 'false',
  });
  const body = element('textarea', { name: 'body', rows: '9', spellcheck: 'false' });
  body.value =
    operation.body === null ? '' : JSON.stringify(ownBody(JSON.parse(operation.body), ids), null, 2);
  const send = element('button', { type: 'submit', class: 'send' }, `Send ${operation.method}`);
  const result = element('div', { 'aria-live': 'polite' });
  const made = element('form', {}, labelled('Shop in the sandbox', shop));
  if (operation.body === null) made.append(labelled('Query', query));
  else made.append(labelled('Body', body));
  made.append(send);
  const go = async (): Promise<void> => {
    send.disabled = true;
    const shown = await shownAnswer(operation, shop.value, query.value, body.value, () => void go());
    send.disabled = false;
    result.replaceChildren(shown);
  };
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    void go();
  });
  // Forms cannot be nested, and the step-up has its own.
  return element('div', {}, made, result);
}

/** The response, or the reason why there is none. */
async function shownAnswer(...request: Parameters<typeof run>): Promise<HTMLElement> {
  try {
    return await run(...request);
  } catch (error) {
    return note(words(error));
  }
}

async function run(
  operation: Operation,
  shopId: string,
  query: string,
  text: string,
  again: () => void,
): Promise<HTMLElement> {
  const search = new URLSearchParams(operation.body === null ? query : '');
  // Sent for the selected shop, even if another id was typed.
  search.set('merchantId', shopId);
  const body: Record<string, unknown> | undefined =
    operation.body === null ? undefined : { ...parsed(text), merchantId: shopId };
  const paymentId: unknown = body === undefined ? search.get('paymentId') : body['paymentId'];
  await assertSandbox(shopId, typeof paymentId === 'string' ? paymentId : null);
  const answer = await ask(operation.method, `${operation.path}?${search}`, body);
  const proof = askedProof(answer);
  if (proof !== null) return stepUpForm(proof, again);
  const shown = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body, null, 2);
  const caption = element('figcaption', {}, `Answer ${answer.status}`);
  const pre = element('pre', { tabindex: '0' }, element('code', {}, shown));
  const figure = element('figure', { class: 'code' }, caption, pre);
  const whole = element('div', {}, figure);
  addCopyButtons(whole);
  return whole;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    throw new NotNow('The body is not JSON.');
  }
  throw new NotNow('The body must be a JSON object.');
}

function withOwn(query: string, ids: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(query);
  for (const [name, id] of Object.entries(ids)) if (search.has(name)) search.set(name, id);
  return search.toString();
}

/** The example with the user's own ids, and an unused order id. */
function ownBody(example: unknown, ids: Readonly<Record<string, string>>): Record<string, unknown> {
  const entries = Object.entries(example as Record<string, unknown>).map(([name, value]) => [
    name,
    name === 'orderId' ? `try-${Date.now()}` : (ids[name] ?? value),
  ]);
  const body = Object.fromEntries(entries) as Record<string, unknown>;
  // URLs in examples lead nowhere, so no webhook is sent there.
  delete body['webhookUrl'];
  return body;
}

function labelled(text: string, control: HTMLElement): HTMLElement {
  return element('label', {}, element('span', {}, text), control);
}

function note(text: string): HTMLElement {
  return element('p', { class: 'note' }, text);
}

function words(error: unknown): string {
  return error instanceof NotNow ? error.message : 'Something went wrong in this page.';
}
