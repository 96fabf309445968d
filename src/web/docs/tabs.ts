import { element } from './element.ts';

const KEY = 'tilld.docs.language';

interface Group {
  readonly tabs: readonly HTMLButtonElement[];
  readonly panels: readonly HTMLElement[];
  readonly languages: readonly string[];
}

/** Turns consecutive samples into tabs. A chosen language applies to all of them. */
export function makeTabs(): void {
  const groups = [...document.querySelectorAll<HTMLElement>('.languages')].map(makeGroup);
  const choose = (language: string): void => {
    for (const group of groups) show(group, language);
  };
  for (const group of groups) {
    for (const [index, tab] of group.tabs.entries()) {
      tab.addEventListener('click', () => {
        keepInPlace(tab, () => choose(group.languages[index] ?? ''));
        remember(group.languages[index] ?? '');
      });
      tab.addEventListener('keydown', (event) => move(group, index, event));
    }
  }
  choose(remembered());
}

function makeGroup(container: HTMLElement, number: number): Group {
  const panels = [...container.querySelectorAll<HTMLElement>(':scope > div')];
  const languages = panels.map((panel) => panel.querySelector('figcaption')?.textContent.trim() ?? '');
  const tabs = languages.map((language, index) =>
    element(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${number}-${index}`,
        'aria-controls': `panel-${number}-${index}`,
      },
      language,
    ),
  );
  for (const [index, panel] of panels.entries()) {
    panel.id = `panel-${number}-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', `tab-${number}-${index}`);
  }
  container.prepend(element('div', { role: 'tablist', 'aria-label': 'Language' }, ...tabs));
  return { tabs, panels, languages };
}

/** Shows the samples of a language, or the first one if it is missing. */
function show({ tabs, panels, languages }: Group, language: string): void {
  const chosen = Math.max(0, languages.indexOf(language));
  for (const [index, tab] of tabs.entries()) {
    tab.setAttribute('aria-selected', String(index === chosen));
    tab.tabIndex = index === chosen ? 0 : -1;
  }
  for (const [index, panel] of panels.entries()) panel.hidden = index !== chosen;
}

function move({ tabs }: Group, index: number, event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const next = tabs[(index + step + tabs.length) % tabs.length];
  next?.focus();
  next?.click();
}

/** Samples above change their height, too: scrolls so that the clicked tab stays in place. */
function keepInPlace(target: HTMLElement, change: () => void): void {
  const before = target.getBoundingClientRect().top;
  change();
  window.scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' });
}

// If the browser denies storage, each visit begins with curl.
function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

function remember(language: string): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    return;
  }
}
