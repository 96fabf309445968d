import { element } from './element.ts';

interface Entry {
  readonly item: HTMLElement;
  /** Title, address and first words. */
  readonly head: string;
  /** The full text. */
  readonly text: string;
}

/** A field above the contents that filters guides and endpoints by all typed words. */
export function addSearch(): void {
  const contents = document.querySelector<HTMLElement>('#contents');
  if (contents === null) return;
  const input = element('input', {
    type: 'search',
    id: 'search',
    autocomplete: 'off',
    placeholder: 'Search  /',
  });
  const found = element('p', { role: 'status', class: 'found' });
  const label = element('label', { for: 'search', class: 'unseen' }, 'Search endpoints and guides');
  contents.querySelector('.close')?.after(element('div', { role: 'search' }, label, input, found));

  let entries: readonly Entry[] | undefined;
  const update = (): void => {
    entries ??= read(contents);
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = matching(entries, words);
    for (const { item } of entries) item.hidden = !matches.has(item);
    hideEmptyGroups(contents);
    found.textContent = words.length === 0 ? '' : `${matches.size === 0 ? 'Nothing' : matches.size} found`;
  };
  input.addEventListener('input', update);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') contents.querySelector<HTMLElement>('li:not([hidden]) a')?.click();
    if (event.key !== 'Escape') return;
    input.value = '';
    update();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
    event.preventDefault();
    // On phones the field is on the page of contents.
    if (input.offsetParent === null) window.location.hash = 'contents';
    input.focus();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}

function read(contents: HTMLElement): Entry[] {
  return [...contents.querySelectorAll('li')].map((item) => {
    const address = item.querySelector('a')?.getAttribute('href') ?? '#contents';
    const target = document.querySelector(address);
    const own = [...(target?.querySelectorAll('h2, h3, .route, .route + .cols p:first-child, .lead') ?? [])];
    const head = [address, ...[item, ...own].map(({ textContent }) => textContent)].join(' ');
    return { item, head: plain(head), text: plain(target?.textContent ?? '') };
  });
}

/** Addresses contain line break hints in the page, but not in the typed text. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ');
}

/** Entries whose heading has all words; if there is none, those whose text has. */
function matching(entries: readonly Entry[], words: readonly string[]): ReadonlySet<HTMLElement> {
  const having = (part: 'head' | 'text'): HTMLElement[] =>
    entries.filter((entry) => words.every((word) => entry[part].includes(word))).map(({ item }) => item);
  const found = having('head');
  return new Set(found.length > 0 ? found : having('text'));
}

function hideEmptyGroups(contents: HTMLElement): void {
  for (const list of contents.querySelectorAll('ul')) {
    const isEmpty = list.querySelector('li:not([hidden])') === null;
    list.hidden = isEmpty;
    if (list.previousElementSibling instanceof HTMLElement) list.previousElementSibling.hidden = isEmpty;
  }
}
