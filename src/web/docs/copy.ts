import { element } from './element.ts';

const SAYS_SO_MS = 2_000;

/** A button on every block of code. */
export function addCopyButtons(root: ParentNode = document): void {
  for (const caption of root.querySelectorAll('.code > figcaption')) {
    const code = caption.parentElement?.querySelector('code');
    if (code === null || code === undefined) continue;
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
    const name = `Copy ${caption.textContent.trim()}`;
    button.setAttribute('aria-label', name);
    button.addEventListener('click', () => void copy(code, button, name));
    caption.append(button);
  }
}

async function copy(code: HTMLElement, button: HTMLButtonElement, name: string): Promise<void> {
  const done = await write(code);
  button.textContent = done ? 'Copied' : 'Press Ctrl+C';
  button.setAttribute('aria-label', button.textContent);
  announce(button.textContent);
  setTimeout(() => {
    button.textContent = 'Copy';
    button.setAttribute('aria-label', name);
  }, SAYS_SO_MS);
}

/** The clipboard requires https or localhost; otherwise the code is selected. */
async function write(code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    window.getSelection()?.selectAllChildren(code);
    return false;
  }
}

let live: HTMLElement | undefined;

function announce(text: string): void {
  if (live === undefined) {
    live = element('div', { role: 'status', class: 'unseen' });
    document.body.append(live);
  }
  live.textContent = text;
}
