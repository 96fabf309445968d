import type { MouseEvent } from 'react';

/** Marks the link in a row that a click anywhere in the row follows: spread into it. */
export const ROW_LINK = { 'data-row-link': true } as const;

/** What answers clicks by itself. */
const ACTIVE = 'a, button, input, select, textarea, label, summary';
const MIDDLE = 1;

/**
 * Follows the link of a row for a click beside it; a middle click, or one with Ctrl or ⌘, opens a tab. Keyboards and screen
 * readers have the link itself.
 */
export function followRowLink(event: MouseEvent<HTMLElement>): void {
  const link = event.currentTarget.querySelector<HTMLAnchorElement>('a[data-row-link]');
  const isMiddle = event.button === MIDDLE;
  if (link === null || (event.button !== 0 && !isMiddle) || event.defaultPrevented) return;
  if (!(event.target instanceof Element) || event.target.closest(ACTIVE) !== null) return;
  // Somebody marks a text, to copy it.
  if (window.getSelection()?.isCollapsed === false) return;
  if (isMiddle || event.ctrlKey || event.metaKey) window.open(link.href, '_blank', 'noopener');
  else link.click();
}
