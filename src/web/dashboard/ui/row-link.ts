import type { MouseEvent } from 'react';

/** Props of the link that a click anywhere in its row follows. */
export const ROW_LINK = { 'data-row-link': true } as const;

/** Elements that handle their own clicks. */
const ACTIVE = 'a, button, input, select, textarea, label, summary';
const MIDDLE = 1;

/**
 * Follows the link of a row when the row is clicked elsewhere; a middle click, or one with Ctrl or ⌘, opens a tab.
 * Keyboards and screen readers use the link itself.
 */
export function followRowLink(event: MouseEvent<HTMLElement>): void {
  const link = event.currentTarget.querySelector<HTMLAnchorElement>('a[data-row-link]');
  const isMiddle = event.button === MIDDLE;
  if (link === null || (event.button !== 0 && !isMiddle) || event.defaultPrevented) return;
  if (!(event.target instanceof Element) || event.target.closest(ACTIVE) !== null) return;
  // The user is selecting text.
  if (window.getSelection()?.isCollapsed === false) return;
  if (isMiddle || event.ctrlKey || event.metaKey) window.open(link.href, '_blank', 'noopener');
  else link.click();
}
